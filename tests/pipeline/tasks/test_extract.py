"""What becomes of a CSV: documents as the feed says, and every other row in quarantine with its reason."""

import gzip
import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.definitions import DefinitionError
from config.feed import Feed
from tasks.extract.dialect import UnreadableSource
from tasks.extract.extraction import Extraction, Place, TooManyRejected, extract, read_batch
from tasks.extract.quarantine import Rejected, read_quarantine

MakeFeed = Callable[..., Feed]
HEADER = "id,text,score,day\n"


class Reading:
    """Reads files in a folder and shows what came of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, content: str | bytes, name: str = "visits.csv") -> str:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def read(self, feed: Feed, content: str | bytes, name: str = "visits.csv") -> Extraction:
        return self.load(feed, self.write(content, name))

    def load(self, feed: Feed, path: str, **given: Any) -> Extraction:
        return extract(feed, path, Place(self.folder / "work", self.folder / "quarantine"), **given)

    def documents(self, extraction: Extraction) -> list[dict[str, Any]]:
        return [each for batch in extraction.batches for each in json.loads(read_batch(batch)[0])["documents"]]

    def lines(self, extraction: Extraction) -> dict[str, int]:
        return dict(pair for batch in extraction.batches for pair in read_batch(batch)[1])

    def rejects(self, extraction: Extraction) -> list[Rejected]:
        return list(read_quarantine(extraction.quarantine)) if extraction.quarantine else []


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    return Reading(tmp_path)


def metadata_of(document: dict[str, Any]) -> dict[str, Any]:
    return {each["code"]: each["value"] for each in document["metadata"]}


def test_a_row_becomes_a_document_as_the_interface_sends_it(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,Lovely,9,2026-03-01\n")
    assert reading.documents(got) == [
        {
            "externalId": "a",
            "lang": "en",
            "type": "SATISFACTION_SURVEY_RESPONSE",
            "content": "Lovely",
            "metadata": [{"code": "nps", "value": 9}, {"code": "day", "value": "2026-03-01T00:00:00.000Z"}],
        }
    ]


def test_a_rejected_row_keeps_line_column_reason_and_text(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + 'a,"two\nlines",9,\nb,Bad,11,soon\n')
    (reject,) = reading.rejects(got)
    assert (reject.line, reject.column, reject.code) == (4, "score, day", "out_of_bounds")
    assert reject.reason == "score: 11 lies outside 0 to 10; day: 'soon' is not a date written as iso"
    assert reject.raw == "b,Bad,11,soon\n"


def test_rows_with_too_few_or_too_many_cells_are_set_aside(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,Fine,9,\nb,Short\nc,Long,1,,more\n")
    assert [reject.reason for reject in reading.rejects(got)] == [
        "has 2 columns instead of 4",
        "has 5 columns instead of 4",
    ]
    assert (got.rows, got.accepted, got.rejected) == (3, 1, 2)


def test_a_quote_that_is_never_closed_costs_one_line(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + 'a,"never closed,1,\nb,Fine,2,\nc,Fine,3,\n')
    assert [document["externalId"] for document in reading.documents(got)] == ["b", "c"]
    assert reading.lines(got) == {"b": 3, "c": 4}
    assert "never closed" in reading.rejects(got)[0].reason


def test_text_stays_text(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(metadata={"code": {"type": "String", "column": "score"}})
    got = reading.read(feed, HEADER + "007,NA,007,\n008,null,NaN,\n")
    assert [document["externalId"] for document in reading.documents(got)] == ["007", "008"]
    assert [document["content"] for document in reading.documents(got)] == ["NA", "null"]
    assert [metadata_of(document)["code"] for document in reading.documents(got)] == ["007", "NaN"]


def test_an_id_that_the_file_repeats_goes_to_quarantine(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,First,1,\na,Second,2,\n")
    assert [document["content"] for document in reading.documents(got)] == ["First"]
    assert [reject.code for reject in reading.rejects(got)] == ["duplicate_external_id"]


def test_a_repeated_id_is_seen_across_chunks(reading: Reading, make_feed: MakeFeed) -> None:
    rows = "".join(f"{number},Fine,1,\n" for number in range(4_500))
    got = reading.read(make_feed(), HEADER + rows + "7,Again,1,\n")
    assert [(reject.line, reject.external_id) for reject in reading.rejects(got)] == [(4_502, "7")]


def test_identical_rows_get_ids_of_their_own_the_same_on_every_load(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(external_id={"hash_of": ["text", "score"]})
    content = HEADER + "a,Same,1,\nb,Same,1,\nc,Other,1,\n"
    first, again = (list(reading.lines(reading.read(feed, content))) for _ in range(2))
    assert len(set(first)) == 3
    assert first == again
    assert first[1] == f"{first[0]}-2"


def test_where_one_cell_ends_matters_to_the_hash(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(external_id={"hash_of": ["id", "text"]}, metadata={})
    assert len(reading.lines(reading.read(feed, HEADER + "ab,c,,\na,bc,,\n"))) == 2


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
    ("content", "encoding"),
    [
        ((HEADER + "a,Été,9,\n").encode("utf-8"), "utf-8"),
        ((HEADER + "a,Été,9,\n").encode("utf-8-sig"), "utf-8-sig"),
        ((HEADER + "a,Été,9,\n").encode("cp1252"), "cp1252"),
        ((HEADER + "a,Été,9,\n").encode("utf-16"), "utf-16"),
        ((HEADER + "a,Été,9,\r\n").replace("\n", "\r\n").encode(), "utf-8"),
    ],
)
def test_the_encoding_is_found(reading: Reading, make_feed: MakeFeed, content: bytes, encoding: str) -> None:
    got = reading.read(make_feed(), content)
    assert got.encoding == encoding
    assert reading.documents(got)[0]["content"] == "Été"


@pytest.mark.slow
def test_an_encoding_that_fails_late_in_the_file_is_given_up(reading: Reading, make_feed: MakeFeed) -> None:
    rows = "".join(f"{number},{'Fine ' * 2_000},1,\n" for number in range(300))
    got = reading.load(make_feed(), reading.write((HEADER + rows).encode() + "z,Été,1,\n".encode("cp1252")))
    assert got.encoding == "cp1252"


def test_no_encoding_that_fits_says_what_to_do(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(source={"encodings": "ascii"})
    with pytest.raises(UnreadableSource, match="none of ascii decodes the whole file; add its encoding"):
        reading.read(feed, HEADER + "a,Été,9,\n")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_delimiter_is_found(reading: Reading, make_feed: MakeFeed, delimiter: str) -> None:
    text = HEADER + "a,Fine,9,\nb,Good,8,\n"
    got = reading.read(make_feed(), text.replace(",", delimiter))
    assert (got.delimiter, got.accepted) == (delimiter, 2)


@pytest.mark.parametrize("name", ["visits.csv.gz", "visits.csv.zip"])
def test_packed_files_are_read(reading: Reading, make_feed: MakeFeed, tmp_path: Path, name: str) -> None:
    content = (HEADER + "a,Fine,9,\n").encode()
    if name.endswith("gz"):
        (tmp_path / name).write_bytes(gzip.compress(content))
    else:
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            packed.writestr("visits.csv", content)
    assert reading.load(make_feed(), str(tmp_path / name)).accepted == 1


def test_rows_around_the_header_can_be_skipped(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(source={"skip_rows": 1, "skip_after_header": 1})
    got = reading.read(feed, "Export of today\n" + HEADER + '"The\nid",Words,0-10,When\na,Fine,9,\n')
    assert reading.lines(got) == {"a": 5}


def test_a_file_without_header_is_read_by_position(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(source={"header": False}, external_id={"column": 1}, content={"columns": 2}, metadata={})
    assert reading.lines(reading.read(feed, "a,Fine\nb,Good\n")) == {"a": 1, "b": 2}


def test_a_column_may_have_had_other_names(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(metadata={"nps": {"type": "NPS", "column": ["NPS", "score"]}})
    assert metadata_of(reading.documents(reading.read(feed, HEADER + "a,Fine,9,\n"))[0])["nps"] == 9


def test_every_missing_column_is_named(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(content={"columns": ["words"]}, metadata={"nps": {"type": "NPS", "column": ["NPS", "points"]}})
    with pytest.raises(DefinitionError) as caught:
        reading.read(feed, HEADER)
    assert "content.columns: the file has no column 'words'; it has 'id', 'text', 'score', 'day'" in str(caught.value)
    assert "metadata.nps.column: the file has no column 'NPS' or 'points'" in str(caught.value)


def test_too_many_rejects_stop_the_load_before_anything_is_sent(
    reading: Reading, make_feed: MakeFeed, tmp_path: Path
) -> None:
    with pytest.raises(TooManyRejected, match=r"1 of 2 rows .* 40% .*out_of_bounds \(score\) 1x"):
        reading.read(make_feed(max_rejected_share=0.4), HEADER + "a,Fine,9,\nb,Bad,99,\n")
    assert list((tmp_path / "work").glob("*/*.json")) == []
    assert len(list((tmp_path / "quarantine").glob("*.jsonl"))) == 1


def test_a_second_load_of_a_file_leaves_the_batches_of_the_first_alone(reading: Reading, make_feed: MakeFeed) -> None:
    content = HEADER + "a,Fine,9,\nb,Bad,1,\n"
    first, second = reading.read(make_feed(), content), reading.read(make_feed(), content)
    assert first.batches[0].path != second.batches[0].path
    assert read_batch(first.batches[0]) == read_batch(second.batches[0])


def test_remains_of_killed_loads_are_removed_after_a_week(reading: Reading, make_feed: MakeFeed) -> None:
    killed = reading.read(make_feed(), HEADER + "a,Fine,9,\n").batches[0].path.parent
    reading.read(make_feed(), HEADER + "b,Fine,9,\n")
    assert killed.exists()
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(killed, (long_ago, long_ago))
    reading.read(make_feed(), HEADER + "c,Fine,9,\n")
    assert not killed.exists()


def test_a_load_that_fails_amid_the_file_leaves_nothing_and_keeps_the_earlier_quarantine(
    reading: Reading, make_feed: MakeFeed
) -> None:
    feed = make_feed(max_rejected_share=1.0, batch_size=1)
    content = HEADER + "a,Fine,99,\nb,Bad,1,\n"
    before = reading.read(feed, content)
    assert before.quarantine is not None
    kept, folders = before.quarantine.read_bytes(), set((reading.folder / "work").iterdir())

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reading.load(feed, before.source, progress=stop)
    assert before.quarantine.read_bytes() == kept
    assert list(before.quarantine.parent.iterdir()) == [before.quarantine]
    assert set((reading.folder / "work").iterdir()) == folders


def test_a_new_column_is_ignored_refused_or_taken_in_as_the_feed_says(reading: Reading, make_feed: MakeFeed) -> None:
    content = "id,text,score,day,Shop Name\na,Fine,9,,Leeds\n"
    assert reading.read(make_feed(), content).new_columns == ["Shop Name"]
    with pytest.raises(DefinitionError, match="new: 'Shop Name'"):
        reading.read(make_feed(on_new_column="freeze"), content)
    grown = reading.read(make_feed(on_new_column="evolve"), content)
    assert metadata_of(reading.documents(grown)[0])["shop_name"] == "Leeds"
    assert list(grown.evolved) == ["shop_name"]


def test_a_mended_row_is_replayed_with_its_line(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,Fine,9,\nb,Bad,11,\n")
    assert got.quarantine is not None
    mended = reading.write(got.quarantine.read_text().replace("b,Bad,11", "b,Bad,10"), "mended.jsonl")
    replayed = reading.load(make_feed(), mended)
    assert reading.lines(replayed) == {"b": 3}


def test_a_replayed_row_that_was_not_mended_is_rejected_again(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,First,1,\na,Second,2,\nb,Bad,11,\nc\n")
    replayed = reading.load(make_feed(), str(got.quarantine))
    assert [reject.code for reject in reading.rejects(replayed)] == [reject.code for reject in reading.rejects(got)]


def test_what_was_mended_is_replayed_however_much_is_still_to_be_mended(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER + "a,Fine,9,\nb,Bad,11,\nc,Bad,12,\nd,Bad,13,\n")
    assert got.quarantine is not None
    mended = reading.write(got.quarantine.read_text().replace("b,Bad,11", "b,Bad,10"), "mended.jsonl")
    replayed = reading.load(make_feed(max_rejected_share=0.05), mended)
    assert (replayed.accepted, replayed.origin) == (1, got.source)
    assert [(reject.line, reject.file) for reject in reading.rejects(replayed)] == [(4, got.source), (5, got.source)]


def test_a_replayed_twin_does_not_take_its_twins_place(reading: Reading, make_feed: MakeFeed) -> None:
    feed = make_feed(external_id={"hash_of": ["text"]})
    got = reading.read(feed, HEADER + "a,Same,1,\nb,Same,99,\n")
    mended = reading.write(str(got.quarantine and got.quarantine.read_text()).replace("Same,99", "Same,9"), "m.jsonl")
    assert set(reading.lines(reading.load(feed, mended))).isdisjoint(reading.lines(got))


def test_batches_hold_what_was_asked_and_are_the_same_bytes_again(reading: Reading, make_feed: MakeFeed) -> None:
    path = reading.write(HEADER + "".join(f"{number},Fine,1,\n" for number in range(25)))
    first = [(batch.documents, batch.body_hash) for batch in reading.load(make_feed(), path, batch_size=10).batches]
    again = [(batch.documents, batch.body_hash) for batch in reading.load(make_feed(), path, batch_size=10).batches]
    assert [documents for documents, _ in first] == [10, 10, 5]
    assert first == again


def test_an_empty_file_is_no_error(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER)
    assert (got.rows, got.batches, got.quarantine) == (0, [], None)


def test_a_file_of_no_bytes_is_told_as_empty(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(UnreadableSource, match="the file is empty"):
        reading.read(make_feed(), "")


def test_a_file_that_is_not_there_is_told(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(UnreadableSource, match="No such file"):
        reading.load(make_feed(), "nowhere.csv")
