"""A draft of a file nobody has written a feed for is a feed that loads it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.definitions import check_definition
from config.feed import Feed
from tasks.extract.dialect import UnreadableSource
from tasks.extract.draft import draft_feed
from tasks.extract.extraction import Extraction, Place, extract

Drafted = Callable[..., tuple[dict[str, Any], Extraction]]
SURVEY = """sep=;
"Antwort-ID";"Beendet am";"Würden Sie uns\nweiterempfehlen?";"Zufriedenheit (1-6)";"Ihr Kommentar";"Kunde?";"E-Mail"
"";"";"Antwort";"Antwort";"Offene Antwort";"";""
"""


@pytest.fixture
def drafted(tmp_path: Path) -> Drafted:
    """Drafts a feed for a text; what the draft says, and what came of loading the file with it."""

    def draft(text: str, encoding: str = "utf-8") -> tuple[dict[str, Any], Extraction]:
        path = tmp_path / "export.csv"
        path.write_bytes(text.encode(encoding))
        said: dict[str, Any] = yaml.safe_load(draft_feed(str(path)))
        feed = check_definition("feed", said | {"max_rejected_share": 1}, Feed)
        return said, extract(feed, str(path), Place(tmp_path / "work", tmp_path / "quarantine"))

    return draft


def survey(rows: int = 200) -> str:
    """An export of a survey tool that went through Excel: its own first line, a second header, and a line of totals."""
    answers = ["10 - sicher", "9", "7", "0 - nie", "k. A."]
    texts = ["Die Lieferung kam viel zu spät, niemand hat Bescheid gesagt.", "Sehr freundliche Beratung im Laden!", ""]
    lines = [
        f'{n};{n % 28 + 1:02}.03.2026 10:15;"{answers[n % 5]}";{n % 6 + 1};"{texts[n % 3]}";'
        f"{'Ja' if n % 2 else 'Nein'};k{n}@example.org"
        for n in range(rows)
    ]
    return SURVEY + "\n".join([*lines, f"Summe: {rows};;;;;;", ""])


def test_a_survey_export_loads_as_it_was_drafted_but_for_its_line_of_totals(drafted: Drafted) -> None:
    _, got = drafted(survey(), "cp1252")
    assert (got.rows, got.accepted, got.encoding, got.delimiter) == (201, 200, "cp1252", ";")


def test_one_row_without_text_among_many_is_kept(drafted: Drafted) -> None:
    rows = [f"{n},{'The queue at the till was far too long.' if n else ''}" for n in range(200)]
    said, got = drafted("\n".join(["id,comment", *rows, ""]))
    assert (said["content"]["empty"], got.accepted) == ("keep", 200)


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_a_file_without_anything_in_it_is_told(drafted: Drafted, text: str) -> None:
    with pytest.raises(UnreadableSource, match="the file is empty"):
        drafted(text)


def test_the_lines_around_the_names_of_the_columns_are_skipped(drafted: Drafted) -> None:
    said, _ = drafted(survey())
    assert (said["source"]["skip_rows"], said["source"]["skip_after_header"]) == (1, 1)


def test_columns_are_drafted_as_what_they_hold(drafted: Drafted) -> None:
    said, _ = drafted(survey())
    assert said["external_id"] == {"column": "Antwort-ID"}
    assert said["content"] == {"columns": "Ihr Kommentar", "empty": "keep"}
    assert {code: rule["type"] for code, rule in said["metadata"].items()} == {
        "beendet_am": "Datetime",
        "wurden_sie_uns_weiterempfehlen": "NPS",
        "zufriedenheit_1_6": "CSAT",
        "kunde": "Boolean",
        "e_mail": "String",
    }
    assert said["metadata"]["beendet_am"]["format"] == "%d.%m.%Y %H:%M"
    assert said["metadata"]["wurden_sie_uns_weiterempfehlen"]["recode"]["values"]["10 - sicher"] == 10
    assert said["metadata"]["zufriedenheit_1_6"]["bounds"] == {"lower": 1, "upper": 6}
    assert said["metadata"]["kunde"]["recode"]["values"] == {"Ja": True, "Nein": False}
    assert said["metadata"]["e_mail"]["personal_data"] is True


def test_the_language_is_that_of_the_comments(drafted: Drafted) -> None:
    assert drafted(survey())[0]["dataset"]["lang"] == "de"


def test_a_file_of_comments_alone_is_drafted_too(drafted: Drafted) -> None:
    said, got = drafted("comment\n" + "".join(f"The till was slow for the {n}th time in a row\n" for n in range(30)))
    assert (said["content"]["columns"], got.accepted) == ("comment", 30)


def test_a_plain_file_has_nothing_to_skip(drafted: Drafted) -> None:
    said, got = drafted(
        "id,remark,score\n" + "".join(f"{n},Good staff and a fair price today,{n % 11}\n" for n in range(30))
    )
    assert "skip_rows" not in said["source"]
    assert "skip_after_header" not in said["source"]
    assert (said["metadata"]["score"]["type"], got.accepted) == ("NPS", 30)


def test_a_score_that_nobody_has_given_yet_is_known_to_the_drafted_feed(drafted: Drafted) -> None:
    answers = ["10 - sicher", "9", "7", "weiß nicht"]
    rows = "".join(f"{n};{answers[n % 4]};Sehr nettes Personal an der Kasse {n}\n" for n in range(40))
    said, _ = drafted("Nummer;Empfehlung;Kommentar\n" + rows)
    values = said["metadata"]["empfehlung"]["recode"]["values"]
    assert (values["10 - sicher"], values["8"], sorted(values.values())) == (10, 8, list(range(11)))


def drafted_with(drafted: Drafted, name: str, values: list[str]) -> dict[str, Any]:
    rows = "".join(f"{n},The queue at the till was far too long today,{values[n % len(values)]}\n" for n in range(40))
    return drafted(f"id,remark,{name}\n{rows}")[0]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tongue", ["EN", "DE", "FR"]),
        ("tongue", ["en", "pt_BR", "fr-CA"]),
        ("tongue", ["German", "Deutsch", "français", "Español"]),
        ("Sprache", ["DE", "FR"]),
    ],
)
def test_a_column_of_languages_is_drafted_as_the_language_of_the_comments(
    drafted: Drafted, name: str, values: list[str]
) -> None:
    assert drafted_with(drafted, name, values)["lang"] == {"column": name}


@pytest.mark.parametrize("values", [["DE", "FR", "IT"], ["si", "no"], ["Small", "Large"]])
def test_countries_answers_and_other_words_are_not_drafted_as_languages(drafted: Drafted, values: list[str]) -> None:
    said = drafted_with(drafted, "market", values)
    assert ("lang" in said, list(said["metadata"])) == (False, ["market"])


@pytest.mark.parametrize(
    "name", ["Estrellas", "Sterne", "étoiles", "Nombre d'etoiles", "stelle", "sterren", "estrelas", "评分", "星级"]
)
def test_stars_are_scores_in_other_languages_too(drafted: Drafted, name: str) -> None:
    (rule,) = drafted_with(drafted, name, ["1", "2", "3", "4", "5"])["metadata"].values()
    assert (rule["type"], rule["bounds"]) == ("CSAT", {"lower": 1, "upper": 5})


def test_the_three_header_rows_of_qualtrics_are_no_data(drafted: Drafted) -> None:
    head = """StartDate,ResponseId,Q1,Q2
Start Date,Response ID,How likely are you to recommend us?,What is the reason for your score?
"{""ImportId"":""startDate"",""timeZone"":""America/Denver""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2_TEXT""}"
"""
    rows = "".join(
        f"2026-03-01 10:15:00,R_{n},{n % 11},The staff were kind but the queue was long\n" for n in range(12)
    )
    said, got = drafted(head + rows)
    assert (said["source"]["skip_after_header"], said["external_id"]) == (2, {"column": "ResponseId"})
    assert (got.rows, got.accepted, said["metadata"]["startdate"]["type"]) == (12, 12, "Datetime")


def test_what_a_draft_leaves_to_a_person_is_said_in_it(tmp_path: Path) -> None:
    silent = "Did not answer"
    rows = [
        f"{n % 9 + 20 if n % 10 else 3}/{'03' if n % 10 else '25'}/2026,"
        f"{silent if n % 4 == 0 else f'In shop {n} we all waited for very much too long a time'},"
        f"The friendly staff of shop {n} helped us"
        for n in range(100)
    ]
    path = tmp_path / "export.csv"
    path.write_text("\n".join(["day,worst,best", *rows]), "utf-8")
    draft = draft_feed(str(path))
    assert 'There is text in "best", too; columns: ["worst", "best"] joins what belongs together.' in draft
    assert f'Many rows say the same: drop: ["{silent}"] takes it for no text.' in draft
    assert "90% are dates as %d/%m/%Y, others as '3/25/2026': a Datetime takes several formats" in draft
