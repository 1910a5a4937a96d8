"""From a file to the warehouse, through a real service and a real Prefect server."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from config.definitions import DefinitionError
from flows.aggregation_report import aggregation_report
from flows.collect_import import collect_import
from tasks.extract.extraction import TooManyRejected
from tasks.warehouse import ledger, open_warehouse

pytestmark = pytest.mark.slow
Load = Callable[..., Any]


def test_every_row_is_a_document_in_the_warehouse_or_a_row_in_quarantine(pipeline: Any, load: Load) -> None:
    source = pipeline.file(25)
    Path(source).write_text(Path(source).read_text() + "v99,Bad,11,2026-03-01\n")
    summary = load(pipeline.feed(), source=source)
    quarantined = Path(summary.quarantine).read_text().count("\n")
    assert (summary.rows, summary.collected, summary.imports, quarantined) == (26, 25, 3, 1)
    assert pipeline.counts()["documents"] == summary.rows - quarantined
    assert pipeline.ask("SELECT DISTINCT state FROM documents") == [("ANALYZED",)]


def test_a_document_knows_the_line_it_came_from(pipeline: Any, load: Load) -> None:
    load(pipeline.feed(), source=pipeline.file(12))
    lines = dict(pipeline.ask("SELECT external_id, _source_line FROM feed_visits"))
    assert (lines["v0"], lines["v11"]) == (2, 13)


def test_the_same_load_again_changes_nothing(pipeline: Any, load: Load) -> None:
    feed, source = pipeline.feed(), pipeline.file(12)
    load(feed, source=source)
    before = pipeline.ask("SELECT * FROM documents ORDER BY 1, 2")
    assert load(feed, source=source).skipped
    assert pipeline.ask("SELECT * FROM documents ORDER BY 1, 2") == before


def test_a_file_that_was_loaded_is_told_with_what_loads_it_again(pipeline: Any, load: Load) -> None:
    feed, source = pipeline.feed(), pipeline.file(2)
    assert load(feed, source=source).note == ""
    told = load(feed, source=source).note
    assert "was loaded before in generation 0" in told
    assert "--generation 1 loads it again" in told


def test_two_loads_of_one_file_at_the_same_time_are_one_load(pipeline: Any) -> None:
    command = [sys.executable, "-m", "flows", "load", pipeline.feed(), "--source", pipeline.file(120)]
    both = [subprocess.Popen(command, env=pipeline.environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [process.communicate(timeout=170)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert pipeline.counts()["documents"] == 120
    assert pipeline.ask("SELECT count(*), count(DISTINCT import_id) FROM import_ledger") == [(12, 12)]
    assert pipeline.ask("SELECT count(DISTINCT dataset_id) FROM documents") == [(1,)]


def test_a_higher_generation_loads_again_and_doubles_nothing(pipeline: Any, load: Load) -> None:
    feed, source = pipeline.feed(), pipeline.file(12)
    load(feed, source=source)
    before = pipeline.counts()
    again = load(feed, source=source, generation=1)
    assert (again.skipped, again.collected) == (False, 12)
    assert pipeline.counts() == before


def test_a_changed_text_replaces_the_document(pipeline: Any, load: Load) -> None:
    feed = pipeline.feed()
    load(feed, source=pipeline.file(3))
    load(feed, source=pipeline.file(3, "later.csv", text="The till was slow."))
    assert pipeline.ask("SELECT DISTINCT content FROM documents") == [("The till was slow.",)]
    assert pipeline.counts()["documents"] == 3


def test_a_dry_run_sends_nothing(pipeline: Any, load: Load) -> None:
    summary = load(pipeline.feed(), source=pipeline.file(5), dry_run=True)
    assert (summary.accepted, summary.imports) == (5, 0)
    with pipeline.client() as client:
        assert client.find_dataset(f"visits of {pipeline.folder.name}") is None


def test_too_many_rejects_send_nothing(pipeline: Any, load: Load) -> None:
    source = pipeline.folder / "bad.csv"
    source.write_text("id,text,score,day\na,Fine,9,2026-03-01\nb,Bad,99,2026-03-01\n")
    with pytest.raises(TooManyRejected):
        load(pipeline.feed(), source=str(source))
    with pipeline.client() as client:
        assert client.find_dataset(f"visits of {pipeline.folder.name}") is None


def test_the_dataset_grows_with_the_file_when_the_feed_says_so(pipeline: Any, load: Load) -> None:
    load(pipeline.feed(), source=pipeline.file(2))
    source = pipeline.folder / "more.csv"
    source.write_text("id,text,score,day,Shop\nn1,Fine,9,2026-03-01,Leeds\n")
    load(pipeline.feed(on_new_column="evolve"), source=str(source))
    with pipeline.client() as client:
        dataset = client.find_dataset(f"visits of {pipeline.folder.name}")
        assert dataset is not None
        assert "shop" in {definition.code for definition in dataset.metadata_definitions}


def test_what_the_service_refuses_is_told_with_its_reason(pipeline: Any, load: Load) -> None:
    half = {"nps": {"type": "CSAT", "column": "score", "bounds": {"lower": 0, "upper": 5}}}
    load(pipeline.feed(metadata=half, max_rejected_share=1), source=pipeline.file(2))
    source = pipeline.folder / "more.csv"
    source.write_text("id,text,score\na,Fine,9\nb,Good,8\nc,Bad,1\n")
    loaded = load(pipeline.feed(metadata={"nps": {"type": "CSAT", "column": "score"}}), source=str(source))
    assert (loaded.collected, loaded.refused) == (1, 2)
    assert loaded.refusals == {"out_of_bounds (metadata[nps])": 2}


def test_a_feed_without_what_its_dataset_demands_sends_nothing(pipeline: Any, load: Load) -> None:
    demanding = {"nps": {"type": "NPS", "column": "score", "mandatory": True}}
    load(pipeline.feed(metadata=demanding), source=pipeline.file(2))
    with pytest.raises(DefinitionError, match=r"metadata\.nps: dataset .* refuses every document without it"):
        load(pipeline.feed(metadata={}), source=pipeline.file(3))


def test_a_feed_that_takes_the_view_of_another_says_so(pipeline: Any, load: Load) -> None:
    first = load(pipeline.feed(), source=pipeline.file(2))
    assert first.note == ""
    copied = load(pipeline.feed(dataset={"name": f"others of {pipeline.folder.name}"}), source=pipeline.file(3))
    assert copied.note == (
        f"feed_visits showed dataset {first.dataset_id} until now; a feed of other comments needs a name of its own"
    )


def test_a_mended_row_is_replayed_into_the_warehouse(pipeline: Any, load: Load) -> None:
    source = pipeline.folder / "some.csv"
    source.write_text("id,text,score,day\na,Fine,9,2026-03-01\nb,Bad,11,2026-03-01\n")
    feed = pipeline.feed(max_rejected_share=1)
    quarantine = Path(load(feed, source=str(source)).quarantine)
    quarantine.write_text(quarantine.read_text().replace("Bad,11", "Bad,1"))
    assert load(feed, source=str(quarantine)).collected == 1
    found = pipeline.ask("SELECT external_id, _source_file, _source_line FROM documents ORDER BY 1")
    assert found == [("a", str(source), 2), ("b", str(source), 3)]


def test_a_collected_import_can_be_collected_again(pipeline: Any, load: Load) -> None:
    load(pipeline.feed(), source=pipeline.file(5))
    before = pipeline.ask("SELECT * FROM enrichments ORDER BY 1, 2, 3")
    ((dataset_id, import_id),) = pipeline.ask("SELECT dataset_id, import_id FROM import_ledger")
    summary = collect_import(dataset_id, import_id)
    assert (summary.sent, summary.listed) == (5, 5)
    assert pipeline.ask("SELECT * FROM enrichments ORDER BY 1, 2, 3") == before


def test_a_collection_that_comes_before_the_ledger_knows_its_import_waits_for_it(pipeline: Any) -> None:
    with pipeline.client() as client, closing(open_warehouse(f"sqlite:///{pipeline.warehouse}")) as warehouse:
        dataset = {"name": "early", "lang": "en", "type": "PRODUCT_REVIEW", "industry": "RETAIL_B2C"}
        load = ledger.Load("early", client.create_dataset(dataset).id, "early.csv", "hash")
        ledger.announce(warehouse, load, 1, "key", [("a", 2)])
        sent = client.create_import(load.dataset_id, [{"externalId": "a", "content": "Good."}], idempotency_key="key")
        noted = Timer(2.0, ledger.complete, (warehouse, "key", sent, timedelta(hours=1)))
        noted.start()
        assert collect_import(load.dataset_id, sent.id).listed == 1
        noted.join()


def test_a_report_is_a_page_csvs_and_rows(pipeline: Any, load: Load) -> None:
    load(pipeline.feed(), source=pipeline.file(60))
    report = pipeline.folder / "visits_report.yaml"
    report.write_text(
        f"title: Visits\ndataset: visits of {pipeline.folder.name}\n"
        "score: {type: NPS, field: metadata.nps}\ndate: metadata.day\nend: latest\nquestions:\n"
        "  - {name: months, title: How is it moving, chart: trend, span: trend, type: NPS, field: metadata.nps,"
        " dimensions: [{field: metadata.day, group: MONTH}]}\n"
        "  - {name: drivers, title: What moves it, chart: drivers}\n"
        "  - {name: said, title: What they say, chart: opinions, span: both, field: TERMS,"
        " dimensions: [{field: TERMS, group: POLARITY_ALL}]}\n"
    )
    summary = aggregation_report(str(report))
    (value,) = pipeline.ask("SELECT value FROM report_values WHERE question = 'score' AND position = 0")[0]
    scores = [score for (score,) in pipeline.ask("SELECT nps FROM feed_visits")]
    expected = 100 * (sum(s >= 9 for s in scores) - sum(s <= 6 for s in scores)) / len(scores)
    assert value == pytest.approx(expected)
    assert "What they say" in summary.page.read_text()
    assert {path.stem for path in summary.csvs} >= {"score", "months", "said"}
