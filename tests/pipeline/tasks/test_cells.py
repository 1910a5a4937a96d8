"""What becomes of a cell: the value, the text or the language that its feed says, or a refusal with its reason."""

from typing import Any

import pytest

from tests.pipeline.tasks.reading import HEADER, MakeFeed, Reading, metadata_of


def test_text_stays_text(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(metadata={"code": {"type": "String", "column": "score"}})
    got = reading.read(feed, HEADER + "007,NA,007,\n008,null,NaN,\n")
    assert [document["externalId"] for document in reading.documents(got)] == ["007", "008"]
    assert [document["content"] for document in reading.documents(got)] == ["NA", "null"]
    assert [metadata_of(document)["code"] for document in reading.documents(got)] == ["007", "NaN"]


def test_joined_texts_leave_out_what_says_nothing(reading: Reading, make_feed: MakeFeed) -> None:
    content = {"columns": ["id", "text"], "drop": ["No Negative", "No Positive"]}
    feed = make_feed(content=content, external_id={"hash_of": ["id", "text"]}, metadata={})
    got = reading.read(feed, HEADER + "No Negative, Nice room ,,\n Cold ,Warm staff,,\nno negative,No Positive,,\n")
    assert [document["content"] for document in reading.documents(got)] == ["Nice room", "Cold\nWarm staff"]
    assert reading.rejects(got)[0].code == "required"


@pytest.mark.parametrize(
    ("rule", "cell", "value"),
    [
        ({"type": "NPS", "recode": {"scale": {"from": [2.5, 10], "to": [0, 10]}}}, "2.5", 0),
        ({"type": "NPS", "recode": {"scale": {"from": [2.5, 10], "to": [0, 10]}}}, "9.2", 9),
        ({"type": "NPS", "recode": {"scale": {"from": [2.5, 10], "to": [0, 10]}}}, "10", 10),
        ({"type": "CSAT", "recode": {"inverted": [1, 5]}}, "1", 5),
        ({"type": "CSAT", "recode": {"inverted": [1, 5]}, "missing": ["6", "7"]}, "7", None),
        ({"type": "Boolean", "recode": {"values": {"Ja": True, "Nein": False}}}, "Nein", False),
        ({"type": "CES", "recode": {"values": {"Fairly easy": 5}}}, " Fairly easy ", 5),
        ({"type": "CES", "recode": {"values": {"Fairly easy": 5}, "otherwise": "omit"}}, "Whatever", None),
        ({"type": "Number", "decimal": ","}, "3,5", 3.5),
        ({"type": "Number"}, "5.0", 5),
        ({"type": "Number"}, "-1e3", -1000),
        ({"type": "Boolean"}, "YES", True),
        ({"type": "String"}, "\u00a0 padded \u00a0", "padded"),
        ({"type": "LatLng"}, "48.85,2.35", "48.85,2.35"),
        ({"type": "Datetime", "format": "%m/%d/%Y"}, "8/3/2017", "2017-08-03T00:00:00.000Z"),
        ({"type": "Datetime", "format": "%d/%m/%Y", "zone": "Europe/Paris"}, "01/07/2026", "2026-06-30T22:00:00.000Z"),
        ({"type": "Datetime", "format": ["%Y-%m-%d", "%d-%m-%Y"]}, "27-07-2015", "2015-07-27T00:00:00.000Z"),
        ({"type": "Datetime", "format": "excel"}, "44320", "2021-05-04T00:00:00.000Z"),
        ({"type": "Datetime", "format": "excel"}, "44320.75", "2021-05-04T18:00:00.000Z"),
        ({"type": "Datetime"}, "2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000Z"),
        ({"type": "Datetime", "zone": "Europe/Paris"}, "2026-03-29T02:30:00", "2026-03-29T01:00:00.000Z"),
        ({"type": "Datetime", "zone": "Europe/Paris"}, "2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"),
        ({"type": "Datetime"}, "1969-07-20T20:17:00.123Z", "1969-07-20T20:17:00.123Z"),
    ],
)
def test_a_cell_becomes_a_value(
    reading: Reading, make_feed: MakeFeed, rule: dict[str, Any], cell: str, value: Any
) -> None:
    feed = make_feed(metadata={"it": rule | {"column": "score"}})
    got = reading.read(feed, HEADER + f'a,Fine,"{cell}",\n')
    assert reading.rejects(got) == []
    assert metadata_of(reading.documents(got)[0]).get("it") == value


@pytest.mark.parametrize(
    ("rule", "cell", "code"),
    [
        ({"type": "NPS"}, "11", "out_of_bounds"),
        ({"type": "NPS"}, "nine", "wrong_type"),
        ({"type": "Number"}, "1e999", "wrong_type"),
        ({"type": "Number"}, "inf", "wrong_type"),
        ({"type": "NPS", "recode": {"scale": {"from": [2.5, 10], "to": [0, 10]}}}, "2", "out_of_bounds"),
        ({"type": "CSAT", "bounds": {"lower": 1, "upper": 5}}, "9", "out_of_bounds"),
        ({"type": "Boolean"}, "maybe", "wrong_type"),
        ({"type": "Datetime"}, "2026-02-31", "wrong_type"),
        ({"type": "Datetime", "format": "excel"}, "yesterday", "wrong_type"),
        ({"type": "String", "allowed_values": ["a"]}, "b", "not_allowed"),
        ({"type": "String", "max_length": 3}, "four", "too_long"),
        ({"type": "String"}, "nul\0", "illegal_character"),
        ({"type": "LatLng"}, "91,0", "wrong_type"),
        ({"type": "CES", "recode": {"values": {"Easy": 1}}}, "Hard", "not_allowed"),
        ({"type": "NPS", "mandatory": True}, "", "required"),
    ],
)
def test_a_cell_that_is_no_value_is_refused(
    reading: Reading, make_feed: MakeFeed, rule: dict[str, Any], cell: str, code: str
) -> None:
    feed = make_feed(metadata={"it": rule | {"column": "score"}})
    got = reading.read(feed, HEADER + f'a,Fine,"{cell}",\n')
    assert [reject.code for reject in reading.rejects(got)] == [code]


def test_latitude_and_longitude_come_from_two_columns(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(metadata={"place": {"type": "LatLng", "columns": ["score", "day"]}})
    got = reading.read(feed, HEADER + "a,Here,48.85,2.35\nb,Nowhere,,\nc,Half,48.85,\n")
    assert [metadata_of(document).get("place") for document in reading.documents(got)] == ["48.85,2.35", None]
    assert [reject.external_id for reject in reading.rejects(got)] == ["c"]


def test_a_constant_is_put_on_every_document(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(metadata={"channel": {"type": "String", "constant": "web"}})
    assert metadata_of(reading.documents(reading.read(feed, HEADER + "a,Fine,,\n"))[0]) == {"channel": "web"}


def test_a_language_column_is_translated(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(lang={"column": "day", "values": {"Français": "fr"}}, metadata={})
    got = reading.read(feed, HEADER + "a,Bien,,Français\nb,Fine,,\n")
    assert [document["lang"] for document in reading.documents(got)] == ["fr", "en"]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("EN", "en"),
        ("FR-FR", "fr"),
        ("pt_BR", "pt"),
        ("zh-Hant-TW", "zh"),
        ("FRA", "fr"),
        ("yue", "yue"),
        ("English", "en"),
        ("english (US)", "en"),
        ("German", "de"),
        ("Deutsch", "de"),
        ("FRANÇAIS", "fr"),
        ("Franc\u0327ais", "fr"),
        ("Español", "es"),
        ("português (Brasil)", "pt"),
        ("日本語", "ja"),
        ("Norsk Bokmål", "nb"),
        ("", "nl"),
    ],
)
def test_a_language_is_sent_as_its_code_however_the_file_writes_it(
    reading: Reading, make_feed: MakeFeed, cell: str, code: str
) -> None:
    feed = make_feed(lang={"column": "day", "default": "nl"}, metadata={})
    got = reading.read(feed, HEADER + f"a,Bien,,{cell}\n")
    assert [document["lang"] for document in reading.documents(got)] == [code]


@pytest.mark.parametrize("cell", ["Klingon", "xx", "abc", "n/a", "7"])
def test_what_is_no_language_is_set_aside_with_what_is_expected(
    reading: Reading, make_feed: MakeFeed, cell: str
) -> None:
    got = reading.read(make_feed(lang={"column": "day"}, metadata={}), HEADER + f"a,Bien,,{cell}\nb,Good,,en\n")
    (reject,) = reading.rejects(got)
    assert (reject.column, reject.code) == ("day", "invalid_value")
    assert f"{cell!r} is no language; write its code (en, pt-BR) or its name" in reject.reason


def test_what_the_feed_itself_calls_a_language_is_taken_at_its_word(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(lang={"column": "day", "values": {"Klingon": "tlh", "Schwiizerdütsch": "DE-CH"}}, metadata={})
    got = reading.read(feed, HEADER + "a,Qapla,,Klingon\nb,Grüezi,,Schwiizerdütsch\n")
    assert [document["lang"] for document in reading.documents(got)] == ["tlh", "de"]


def test_what_stands_for_no_value_stands_for_no_language_either(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(lang={"column": "day", "default": "nl"}, missing=["", "NA"], metadata={})
    got = reading.read(feed, HEADER + "a,Prima,,NA\n")
    assert [document["lang"] for document in reading.documents(got)] == ["nl"]
