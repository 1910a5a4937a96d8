"""What becomes of a CSV: documents as the feed says, and every other row in quarantine with its reason."""

import os
import time
from pathlib import Path

import pytest

from config.definitions import DefinitionError
from tasks.extract.extraction import TooManyRejected, read_batch
from tests.pipeline.tasks.reading import HEADER, MakeFeed, Reading, metadata_of


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
