"""The same answers from a Dask cluster of real worker processes, also while one of them is killed."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from distributed import Client, LocalCluster

from feedback.aggregation import Aggregator, Cluster, Place
from feedback.domain.dataset import Dataset
from feedback.store.engine import open_engine, snapshot
from tests.aggregation.reference import DAY, Doc, evaluate
from tests.aggregation.shelf import Shelf, make_world

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

QUESTIONS: list[tuple[dict[str, Any], str | None]] = [
    ({"field": "metadata.nps", "type": "NPS", "dimensions": [{"field": "createdAt", "group": "MONTH"}]}, None),
    ({"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL"}]}, None),
    ({"field": "metadata.amount", "type": "SUM", "dimensions": [{"field": "TERMS", "group": "DISTINCT"}]}, "sta"),
    ({"field": "metadata.amount", "type": "AVG", "dimensions": [{"field": "externalId", "group": "DISTINCT"}]}, None),
]
DOCS = [
    Doc(
        f"d{n}",
        (19_000 + n) * DAY,
        19_000 * DAY,
        metadata={"nps": n % 11, "amount": n / 10},
        terms=[("staff__NOUN__1", "POSITIVE" if n % 3 else "NEGATIVE"), (f"thing{n % 7}__NOUN__1", "NEUTRAL")],
    )
    for n in range(240)
]


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """Three worker processes."""
    cluster = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    )
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def asked(workers: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Aggregator, Dataset]]:
    """An aggregator that always asks the cluster, and a dataset of eleven segments with replaced documents."""
    directory: Path = tmp_path_factory.mktemp("cluster")
    url = f"sqlite:///{directory / 'feedback.db'}"
    engine = open_engine(url)
    shelf = Shelf(engine)
    dataset = shelf.dataset()
    for start in range(0, len(DOCS), 24):
        shelf.put(dataset, DOCS[start : start + 24])
    shelf.put(dataset, DOCS[::10])
    cluster = Cluster(workers.scheduler_address, Place(url, directory / "workers", 2**30), worth=0)
    yield Aggregator(engine, cache_dir=directory / "cache", cache_bytes=2**30, threads=1, cluster=cluster), dataset
    cluster.close()
    engine.dispose()


@pytest.mark.parametrize(("request_body", "q"), QUESTIONS)
def test_the_cluster_gives_the_naive_answer(
    asked: tuple[Aggregator, Dataset], request_body: dict[str, Any], q: str | None
) -> None:
    assert asked[0].aggregate(asked[1], request_body, q) == evaluate(make_world(DOCS), request_body, q)


def test_the_process_that_asks_the_cluster_maps_no_segment(asked: tuple[Aggregator, Dataset]) -> None:
    aggregator = asked[0]
    shelf = Shelf(aggregator.engine)
    dataset = shelf.dataset()
    for start in range(0, 60, 20):
        shelf.put(dataset, DOCS[start : start + 20])
    for request, q in QUESTIONS:
        assert aggregator.aggregate(dataset, request, q) == evaluate(make_world(DOCS[:60]), request, q)
    with snapshot(aggregator.engine) as connection, connection.begin():
        parts = aggregator.loader.snapshot(connection, dataset.id).parts
    assert ["segment" in vars(part) for part in parts] == [False] * 3


@pytest.mark.parametrize(("offset", "limit"), [(0, 3), (5, 20), (110, 20), (500, 5)])
def test_the_cluster_lists_the_page_that_one_process_lists(
    asked: tuple[Aggregator, Dataset], offset: int, limit: int
) -> None:
    aggregator, dataset = asked
    alone = Aggregator(aggregator.engine, cache_dir=None, cache_bytes=0, threads=1)
    wanted = {"field": "metadata.nps", "operator": "GTE", "value": 5}
    pages = [
        one.search_documents(dataset, wanted, sort_by="updatedAt", descending=True, offset=offset, limit=limit)
        for one in (aggregator, alone)
    ]
    assert pages[0] == pages[1]
    assert pages[0][0] == sum(n % 11 >= 5 for n in range(240))


def test_the_cluster_counts_what_has_come_and_gone_since_it_was_asked(asked: tuple[Aggregator, Dataset]) -> None:
    aggregator = asked[0]
    shelf = Shelf(aggregator.engine)
    dataset = shelf.dataset()
    request, q = QUESTIONS[2]
    shelf.put(dataset, DOCS[:20])
    replies = [aggregator.aggregate(dataset, request, q)]
    shelf.erase(dataset, [doc.external_id for doc in DOCS[:5]])
    replies.append(aggregator.aggregate(dataset, request, q))
    shelf.put(dataset, DOCS[30:40])
    replies.append(aggregator.aggregate(dataset, request, q))
    histories = (DOCS[:20], DOCS[5:20], [*DOCS[5:20], *DOCS[30:40]])
    assert replies == [evaluate(make_world(docs), request, q) for docs in histories]


def test_answers_stay_the_same_while_a_worker_is_killed(
    asked: tuple[Aggregator, Dataset], workers: LocalCluster
) -> None:
    with Client(workers.scheduler_address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        victim = next(iter(client.run(os.getpid).values()))
    request, q = QUESTIONS[1]
    expected = evaluate(make_world(DOCS), request, q)
    replies: list[Any] = []
    asking = Thread(target=lambda: replies.extend(asked[0].aggregate(asked[1], request, q) for _ in range(20)))
    asking.start()
    os.kill(victim, signal.SIGKILL)
    asking.join(60)
    assert replies == [expected] * 20
