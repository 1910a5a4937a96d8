"""Files as they come: in any encoding, with any delimiter, packed, without a header, empty or not there."""

import gzip
import zipfile
from pathlib import Path

import pytest

from config.definitions import DefinitionError
from tasks.extract.dialect import UnreadableSource
from tests.pipeline.tasks.reading import HEADER, MakeFeed, Reading, metadata_of


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


def test_every_missing_column_is_named_once_with_what_needs_it_and_what_the_file_has(
    reading: Reading, make_feed: MakeFeed
) -> None:
    metadata = {"nps": {"type": "NPS", "column": ["NPS", "points"]}, "said": {"type": "String", "column": "words"}}
    feed = make_feed(content={"columns": ["words"]}, metadata=metadata)
    with pytest.raises(DefinitionError) as caught:
        reading.read(feed, HEADER)
    assert [str(problem) for problem in caught.value.problems] == [
        "content.columns, metadata.said.column: the file has no column 'words'",
        "metadata.nps.column: the file has no column 'NPS' or 'points'",
        "the file: its columns are 'id', 'text', 'score', 'day'",
    ]


def test_a_column_written_a_little_differently_is_suggested(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(DefinitionError, match=r"no column 'TEXTS'; is it 'text'\?"):
        reading.read(make_feed(content={"columns": ["TEXTS"]}), HEADER)


def test_a_file_cut_by_the_wrong_delimiter_leads_to_that_setting(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(DefinitionError, match=r"a single column, 'id,text,score,day'; look at source\.delimiter"):
        reading.read(make_feed(source={"delimiter": ";"}), HEADER)


def test_an_empty_file_is_no_error(reading: Reading, make_feed: MakeFeed) -> None:
    got = reading.read(make_feed(), HEADER)
    assert (got.rows, got.batches, got.quarantine) == (0, [], None)


def test_a_file_of_no_bytes_is_told_as_empty(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(UnreadableSource, match="the file is empty"):
        reading.read(make_feed(), "")


def test_a_file_that_is_not_there_is_told(reading: Reading, make_feed: MakeFeed) -> None:
    with pytest.raises(UnreadableSource, match="No such file"):
        reading.load(make_feed(), "nowhere.csv")
