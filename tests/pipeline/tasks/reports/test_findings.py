"""What a report makes of figures, and what it says when there are too few."""

import dataclasses
import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from config.definitions import check_definition
from config.report import Question, Report
from feedback.client import Dataset, Document, FeedbackClient
from feedback.client.models import Enrichment, MetadataValue, Offset
from tasks.reports import charts
from tasks.reports.archive import keep, write_csvs
from tasks.reports.comments import Comments
from tasks.reports.findings import find
from tasks.reports.insights import Asking, Change, Driver
from tasks.reports.page import render, sentences
from tasks.reports.periods import Period, last_complete_day, spans
from tasks.reports.questions import Answer, Answers, Cell, ask
from tasks.reports.spread import difference, spread
from tasks.warehouse import Warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.tables import report_values, reports

MakeDocument = Callable[..., Document]
QUESTIONS = [
    {"name": "drivers", "title": "What moves it?", "chart": "drivers"},
    {"name": "changes", "title": "What changed?", "chart": "changes"},
]
MONTHS = {
    "name": "by_month",
    "title": "How is it moving?",
    "chart": "trend",
    "span": "trend",
    "type": "NPS",
    "field": "metadata.nps",
    "dimensions": [{"field": "metadata.day", "group": "MONTH"}],
}


def make_report(**given: Any) -> Report:
    usual = {
        "name": "visits",
        "title": "Visits",
        "dataset": "visits",
        "score": {"type": "NPS", "field": "metadata.nps"},
        "date": "metadata.day",
        "minimum_volume": 5,
        "questions": [*QUESTIONS, MONTHS],
    }
    return check_definition("report", usual | given, Report)


def make_driver(label: str, opinion: str, impact: float, *, clear: bool = True) -> Driver:
    return Driver(label, label, opinion, 30, 10.0, 8 * impact, 6 * impact, 10 * impact, impact, clear)


def make_change(label: str, opinion: str, now: int, before: int, *, clear: bool = True) -> Change:
    return Change(label, label, opinion, now / 100, before / 100, now, before, 0.001, clear)


def make_answers(
    now: dict[int, int],
    before: dict[int, int],
    drivers: tuple[Driver, ...] = (),
    changes: tuple[Change, ...] = (),
    **report: Any,
) -> Answers:
    """Answers with these counts of scores."""
    asked_for = make_report(**report)
    answers = Answers(asked_for, Dataset(id="d1", name="visits"), spans(asked_for, date(2026, 3, 31)))
    both = answers.spans.asked("both")
    totals = [Cell(0, (), None, sum(now.values())), Cell(1, (), None, sum(before.values()))]
    counted = [Cell(n, (str(s),), c, c) for n, counts in enumerate((now, before)) for s, c in counts.items()]
    answers.asked["score"] = Answer("score", None, both, totals, [])
    answers.asked["distribution"] = Answer("distribution", None, both, totals, counted)
    answers.drivers += drivers
    answers.changes += changes
    trend = [Cell(0, (f"2026-0{month}",), 10.0 * month, month) for month in (1, 2, 3)]
    answers.asked["by_month"] = Answer("by_month", None, answers.spans.asked("trend"), totals[:1], trend)
    return answers


def give_opinions(answers: Answers, counts: dict[str, tuple[int, int]]) -> None:
    """Let terms be praised and blamed so often."""
    cells = [
        Cell(0, (term,), count, count, (f"{term}__NOUN__1",), polarity)
        for term, both in counts.items()
        for polarity, count in zip(("positive", "negative"), both, strict=True)
    ]
    question = Question(name="words", title="What do they say?", chart="opinions", field="TERMS")
    answers.asked["words"] = Answer("words", question, [answers.spans.current], [], cells)


@pytest.mark.parametrize(
    ("length", "last", "current", "previous"),
    [
        ("1 month", date(2026, 3, 31), ("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-28")),
        ("6 months", date(2026, 10, 12), ("2026-05-01", "2026-10-31"), ("2025-11-01", "2026-04-30")),
        ("12 months", date(2026, 12, 31), ("2026-01-01", "2026-12-31"), ("2025-01-01", "2025-12-31")),
        ("4 weeks", date(2026, 3, 29), ("2026-03-02", "2026-03-29"), ("2026-02-02", "2026-03-01")),
        ("1 day", date(2026, 3, 1), ("2026-03-01", "2026-03-01"), ("2026-02-28", "2026-02-28")),
    ],
)
def test_a_period_is_compared_with_the_one_of_its_length_before(
    length: str, last: date, current: tuple[str, str], previous: tuple[str, str]
) -> None:
    found = spans(make_report(period=length), last)
    for period, (first, end) in ((found.current, current), (found.previous, previous)):
        assert (period.first.isoformat(), period.last.isoformat()) == (first, end)
    assert found.trend.first <= found.previous.first


def test_a_period_is_asked_to_its_last_millisecond() -> None:
    asked = Period(date(2026, 3, 1), date(2026, 3, 31)).request("createdAt")
    assert asked == {"field": "createdAt", "from": "2026-03-01T00:00:00.000Z", "to": "2026-03-31T23:59:59.999Z"}


def test_an_nps_spread_is_the_nps_with_its_interval() -> None:
    found = spread({10: 50, 8: 25, 3: 25}, "NPS")
    assert found.mean == 25
    assert math.isclose(found.margin, 1.96 * math.sqrt((0.75 - 0.0625) / 100) * 100)


def test_a_difference_within_its_margin_is_not_clear() -> None:
    small = difference(spread({10: 5, 3: 5}, "NPS"), spread({10: 6, 3: 4}, "NPS"))
    large = difference(spread({10: 90, 3: 10}, "NPS"), spread({10: 10, 3: 90}, "NPS"))
    assert (small.clear, large.clear) == (False, True)


def test_what_chance_explains_is_no_driver() -> None:
    answers = make_answers(
        {10: 60, 2: 40},
        {10: 50, 2: 50},
        (make_driver("till", "negative", -6), make_driver("bags", "positive", 5, clear=False)),
    )
    assert [driver.label for driver in find(answers).drivers] == ["till"]
    assert "What pulls the NPS down most is criticism of till." in sentences(answers, find(answers))


def test_what_moves_a_mean_is_told_finely_enough_to_be_seen(sqlite_warehouse: Warehouse) -> None:
    mean = {"type": "CSAT", "field": "metadata.csat"}
    answers = make_answers({5: 60, 4: 40}, {5: 50, 4: 50}, (make_driver("till", "negative", -0.04),), score=mean)
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.csat")
    page = render(answers, find(answers), comments)
    assert "moves the total by \N{MINUS SIGN}0.04<" in page
    assert "“Moves the total by”: the CSAT less what it would be without these comments." in page


def test_a_score_that_stands_where_it_stood_is_not_said_to_have_moved(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({5: 60, 4: 40}, {5: 61, 4: 39}, score={"type": "CSAT", "field": "metadata.csat"})
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.csat")
    assert sentences(answers, find(answers)) == ["The CSAT stands at 4.6, as in the 1 month before."]
    assert '<dd class="flat">0.0<small>may be chance; it was 4.6' in render(answers, find(answers), comments)


def test_less_blame_is_a_change_for_the_better() -> None:
    answers = make_answers({10: 100}, {10: 100}, (), (make_change("till", "negative", 2, 30),))
    (change,) = find(answers).changes
    assert (change.rose, change.good) == (False, True)
    assert "Clearly better than before: till." in sentences(answers, find(answers))


def test_a_change_that_may_be_chance_is_shown_as_such_and_not_told(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({10: 100}, {10: 100}, (), (make_change("till", "negative", 2, 6, clear=False),))
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    assert "which may be chance" in render(answers, find(answers), comments)
    assert not any("than before:" in sentence for sentence in sentences(answers, find(answers)))


def test_a_service_without_insights_leaves_a_report_without_them() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        return httpx.Response(404, json={"errors": []})

    with FeedbackClient("http://service", "id", "secret", transport=httpx.MockTransport(refuse)) as client:
        asking = Asking(client, "d1", "TOPICS", 5, None)
        assert (asking.drivers("metadata.nps", {}), asking.changes({}, {})) == ([], [])


def test_words_that_say_nothing_here_are_left_out() -> None:
    answers = make_answers({10: 60}, {10: 50}, omit=["Shop"])
    give_opinions(answers, {"shop": (9, 1), "it": (9, 1), "price": (4, 1), "till": (1, 5), "bag": (2, 0)})
    found = find(answers)
    assert [term.label for term in found.praised] == ["price"]
    assert [term.label for term in found.blamed] == ["till"]


def test_such_words_neither_move_the_score_nor_change() -> None:
    drivers = tuple(make_driver(label, "positive", 5) for label in ("Shop", "they", "price"))
    changes = tuple(make_change(label, "positive", 30, 2) for label in ("shop", "it", "price"))
    found = find(make_answers({10: 60}, {10: 50}, drivers, changes, omit=["shop"]))
    assert [driver.label for driver in found.drivers] == ["price"]
    assert [change.label for change in found.changes] == ["price"]


def test_too_few_answers_are_no_score() -> None:
    answers = make_answers({10: 3}, {10: 50})
    findings = find(answers)
    assert findings.headline.current is None
    assert sentences(answers, findings) == ["There are too few answers from March 2026 to speak of a score."]


def test_an_empty_period_says_so_and_draws_nothing(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({}, {})
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    assert "There are no comments from March 2026." in page
    assert 'class="chart"' not in page.split("<script>")[0]


def test_a_page_is_one_file_that_asks_nothing_of_the_network(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({10: 60, 2: 40}, {10: 50, 2: 50}, (make_driver("till", "negative", -6),))
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    own = page.replace(page[page.index("const n=") : page.rindex("for (const holder")], "")
    assert "vegaEmbed" in page
    assert all(word not in own for word in ("src=", "href=", "url(", "@import"))


def test_strangers_words_cannot_close_a_script_or_open_a_tag(
    sqlite_warehouse: Warehouse, make_document: MakeDocument
) -> None:
    nasty = "</script><script>alert(1)</script>"
    document = make_document(
        "a",
        nasty,
        metadata=[MetadataValue(code="nps", value=2), MetadataValue(code="day", value="2026-03-05T00:00:00.000Z")],
        enrichments=[Enrichment(term=f"{nasty}__NOUN__1", opinion="NEGATIVE", offset=Offset(begin=0, end=9))],
    )
    merge(sqlite_warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [[document]])
    driver = dataclasses.replace(make_driver(nasty, "negative", -6), id=f"{nasty}__NOUN__1")
    answers = make_answers({10: 60, 2: 40}, {10: 50, 2: 50}, (driver,))
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page


def test_the_comments_behind_a_term_are_of_its_period_and_opinion(
    warehouse: Warehouse, make_document: MakeDocument
) -> None:
    def dated(external_id: str, day: str, opinion: str) -> Document:
        values = [MetadataValue(code="day", value=f"{day}T00:00:00.000Z"), MetadataValue(code="nps", value=3)]
        found = Enrichment(term="staff__NOUN__1", opinion=opinion, offset=Offset(begin=5, end=10))
        return make_document(external_id, metadata=values, enrichments=[found])

    documents = [
        dated("a", "2026-03-05", "NEGATIVE"),
        dated("b", "2026-03-06", "POSITIVE"),
        dated("c", "2026-02-05", "NEGATIVE"),
    ]
    merge(warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [documents])
    comments = Comments(warehouse, "d1", Period(date(2026, 3, 1), date(2026, 3, 31)), "metadata.day", "metadata.nps")
    (comment,) = comments.about("TERMS", "staff__NOUN__1", "negative", 3)
    assert (comment.day, comment.score) == ("2026-03-05", "3")
    assert [(piece.text, piece.opinion, piece.focus) for piece in comment.pieces] == [
        ("Nice ", "", False),
        ("staff", "negative", True),
    ]


def test_the_comments_behind_a_topic_are_found_by_its_code(warehouse: Warehouse, make_document: MakeDocument) -> None:
    values = [MetadataValue(code="day", value="2026-03-05T00:00:00.000Z")]
    merge(warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [[make_document("a", metadata=values)]])
    comments = Comments(warehouse, "d1", Period(date(2026, 3, 1), date(2026, 3, 31)), "metadata.day", "metadata.nps")
    assert len(comments.about("TOPICS", "STAFF", "positive", 3)) == 1
    assert comments.about("TOPICS", "STAFF", "negative", 3) == []


def test_a_comment_that_was_quoted_gives_way_to_one_that_was_not(
    sqlite_warehouse: Warehouse, make_document: MakeDocument
) -> None:
    documents = [
        make_document(key, f"{text} staff", metadata=[MetadataValue(code="day", value="2026-03-05T00:00:00.000Z")])
        for key, text in (("a", "Nice"), ("b", "Good"), ("c", "Nice"))
    ]
    merge(sqlite_warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [documents])
    march = Period(date(2026, 3, 1), date(2026, 3, 31))
    comments = Comments(sqlite_warehouse, "d1", march, "metadata.day", "metadata.nps")
    quoted = [comments.within(march).about("TERMS", "staff__NOUN__1", None, 1)[0] for _ in range(2)]
    assert {comment.pieces[0].text for comment in quoted} == {"Nice ", "Good "}


def test_a_comment_that_praises_and_blames_a_term_is_quoted_for_neither_while_there_are_others(
    sqlite_warehouse: Warehouse, make_document: MakeDocument
) -> None:
    def dated(key: str, day: str, *opinions: str) -> Document:
        found = [
            Enrichment(term="staff__NOUN__1", opinion=opinion, offset=Offset(begin=6 * at, end=6 * at + 5))
            for at, opinion in enumerate(opinions)
        ]
        values = [MetadataValue(code="day", value=f"{day}T00:00:00.000Z")]
        return make_document(key, f"staff staff of {key}", metadata=values, enrichments=found)

    documents = [dated("a", "2026-03-06", "POSITIVE", "NEGATIVE"), dated("b", "2026-03-05", "POSITIVE")]
    merge(sqlite_warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [documents])
    march = Period(date(2026, 3, 1), date(2026, 3, 31))
    comments = Comments(sqlite_warehouse, "d1", march, "metadata.day", "metadata.nps")
    (comment,) = comments.about("TERMS", "staff__NOUN__1", "positive", 1)
    assert comment.day == "2026-03-05"


def test_a_report_made_again_replaces_its_rows(warehouse: Warehouse, tmp_path: Any) -> None:
    answers = make_answers({10: 60, 2: 40}, {10: 50, 2: 50})
    counts = []
    for _ in range(2):
        keep(warehouse, answers, tmp_path / "index.html", ["All is well.", "As before."])
        with warehouse.read() as connection:
            counts.append(len(connection.execute(report_values.select()).all()))
            (head,) = connection.execute(reports.select())
    assert counts[0] == counts[1] > 0
    assert head.sentences == "All is well.\nAs before."


def test_a_csv_holds_no_formula(tmp_path: Any) -> None:
    answers = make_answers({10: 60}, {10: 50})
    give_opinions(answers, {"=cmd()": (3, 0)})
    (path,) = [path for path in write_csvs(answers, tmp_path) if path.stem == "words"]
    assert ",'=cmd()," in path.read_text("utf-8-sig")


def test_todays_report_ends_with_the_last_month_that_is_over() -> None:
    today = datetime(2026, 3, 15, tzinfo=UTC).date()
    assert last_complete_day(make_report(period="1 month"), today) == date(2026, 2, 28)
    assert last_complete_day(make_report(period="7 days"), today) == date(2026, 3, 14)


def test_a_term_that_is_nearly_always_part_of_a_longer_one_is_told_once() -> None:
    answers = make_answers({10: 20}, {10: 20})
    give_opinions(
        answers,
        {"customer service": (9, 0), "service": (10, 0), "room service": (1, 3), "room": (0, 12), "serv": (9, 0)},
    )
    found = find(answers)
    assert [term.label for term in found.praised] == ["customer service", "serv"]
    assert [term.label for term in found.blamed] == ["room", "room service"]


def test_a_trend_begins_where_comments_do() -> None:
    answers = make_answers({10: 20}, {10: 20})
    months = [("2026-01", 0), ("2026-02", 5), ("2026-03", 0), ("2026-04", 7)]
    cells = [Cell(0, (month,), 10.0 if volume else None, volume) for month, volume in months]
    drawn = charts.trend(Answer("t", None, answers.spans.asked("trend"), [], cells), answers.spans, 1, "NPS")
    (rows,) = drawn[1]["datasets"].values()
    assert [row["label"] for row in rows] == ["Feb 26", "Mar 26", "Apr 26"]


def test_praise_in_too_few_comments_is_not_said_to_be_none(sqlite_warehouse: Warehouse) -> None:
    words = {"name": "words", "title": "Words", "chart": "opinions", "field": "TERMS", "dimensions": []}
    answers = make_answers({10: 20}, {10: 20}, questions=[words])
    give_opinions(answers, {"bag": (2, 0)})
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    assert "No term was praised in at least 3 comments of this period, and more often than blamed." in page
    assert "No term was blamed in at least 3 comments of this period, and more often than praised." in page


def test_a_point_of_few_answers_is_hollow_and_its_value_is_not_told() -> None:
    answers = make_answers({10: 20}, {10: 20})
    cells = [Cell(0, (f"2026-0{month}",), value, volume) for month, value, volume in ((1, 5, 4), (2, 9, 10), (3, 7, 9))]
    drawn = charts.trend(Answer("t", None, answers.spans.asked("trend"), [], cells), answers.spans, 10, "NPS")
    (rows,) = drawn[1]["datasets"].values()
    assert [(row["small"], row["named"], row["told"]) for row in rows] == [
        (True, False, "too few answers"),
        (False, True, "9.0"),
        (True, False, "too few answers"),
    ]


def test_a_value_beside_an_axis_is_written_away_from_it() -> None:
    answers = make_answers({10: 20}, {10: 20})
    trend = charts.trend(answers.asked["by_month"], answers.spans, 1, "NPS")
    (rows,) = trend[1]["datasets"].values()
    assert [row["side"] for row in rows] == ["left", "center", "right"]
    texts = [layer for layer in trend[0]["layer"] if layer["mark"]["type"] == "text"]
    assert [layer["mark"]["align"] for layer in texts] == ["left", "center", "right"]


@pytest.mark.parametrize(
    ("latest", "said"),
    [
        (date(2026, 3, 18), "March 2026 (data up to 18 March 2026)"),
        (date(2026, 3, 31), "March 2026"),
        (date(2026, 2, 18), "March 2026"),
        (None, "March 2026"),
    ],
)
def test_a_period_that_has_data_for_a_part_of_it_says_so(
    latest: date | None, said: str, sqlite_warehouse: Warehouse
) -> None:
    answers = make_answers({10: 60}, {10: 50})
    answers.latest = latest
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    assert f">{said}, compared with February 2026<" in render(answers, find(answers), comments)


def test_a_report_asks_up_to_which_day_there_is_data() -> None:
    asked_for = make_report(period="1 month", end="latest", questions=[MONTHS])
    moment = datetime(2026, 3, 18, 9, tzinfo=UTC).timestamp() * 1000

    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        asked = json.loads(request.content)
        value = moment if asked["type"] == "MAX" else 0
        periods = [{"total": {"value": value, "volume": 1}, "values": []} for _ in asked.get("periods", [None])]
        return httpx.Response(200, json={"periods": periods})

    with FeedbackClient("http://service", "id", "secret", transport=httpx.MockTransport(reply)) as client:
        answers = ask(client, asked_for, Dataset(id="d1", name="visits"), None)
    assert answers.period == "March 2026 (data up to 18 March 2026)"


STORES = {
    "name": "stores",
    "title": "Where is it good?",
    "chart": "ranking",
    "span": "both",
    "type": "NPS",
    "field": "metadata.nps",
    "dimensions": [{"field": "metadata.store", "group": "DISTINCT"}],
}


def test_what_too_few_comment_on_is_named_beneath_what_can_be_ranked(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({10: 60}, {10: 50}, questions=[STORES])
    stores = (("Turin", 80.0, 2), ("Lyon", 10.0, 30), ("Ghent", 40.0, 30), ("Bonn", 5.0, 4))
    cells = [Cell(0, (name,), value, volume) for name, value, volume in stores]
    answers.asked["stores"] = Answer("stores", None, answers.spans.asked("both"), [], cells)
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    assert re.findall(r"<tr><td>(\w+)", page) == ["Ghent", "Lyon"]
    assert "Too few comments to compare: Bonn (4), Turin (2)." in page


def test_the_lines_of_a_comment_are_quoted_as_lines(sqlite_warehouse: Warehouse, make_document: MakeDocument) -> None:
    values = [MetadataValue(code="nps", value=2), MetadataValue(code="day", value="2026-03-05T00:00:00.000Z")]
    document = make_document("a", "Nice staff\nSmall room", metadata=values)
    merge(sqlite_warehouse, Origin("d1", "visits", "i1", "v.csv", {}), [[document]])
    driver = dataclasses.replace(make_driver("staff", "positive", 6), id="staff__NOUN__1")
    answers = make_answers({10: 60, 2: 40}, {10: 50, 2: 50}, (driver,))
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    page = render(answers, find(answers), comments)
    assert "white-space: pre-line" in page
    assert '</mark>\nSmall room<footer lang="en">' in page


def test_a_month_without_answers_is_no_hollow_point(sqlite_warehouse: Warehouse) -> None:
    answers = make_answers({10: 20}, {10: 20})
    cells = [Cell(0, ("2026-01",), None, 0), Cell(0, ("2026-02",), 9.0, 20), Cell(0, ("2026-03",), 8.0, 20)]
    answers.asked["by_month"] = Answer("by_month", None, answers.spans.asked("trend"), [], cells)
    comments = Comments(sqlite_warehouse, "d1", answers.spans.current, "metadata.day", "metadata.nps")
    assert "Hollow points" not in render(answers, find(answers), comments)
