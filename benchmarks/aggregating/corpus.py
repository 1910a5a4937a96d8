"""Makes a corpus of any size, writes it as the service would have, and gives every rival the same arrays."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, func, insert, select, update

from feedback.domain.dataset import Bounds, Dataset, MetadataDefinition, MetadataType
from feedback.store.engine import open_engine
from feedback.store.schema import upgrade
from feedback.store.segments.loose import Codes, Instants, Integers, Loose, Pairs, Texts
from feedback.store.segments.tombstones import bury
from feedback.store.segments.write import insert_segment
from feedback.store.tables import categories, datasets, organisations, segments, terms

TERMS, TERMS_EACH, STORES = 50_000, 8, 300
DAY = 86_400_000
FIRST_DAY, DAYS = 19_723, 731  # 2024-01-01, two years.
SEGMENT = 65_536
LATE = 0.1
Array = npt.NDArray[Any]

DATASET = Dataset(
    "d" * 24,
    "o" * 24,
    "Benchmark",
    "en",
    "SURVEY",
    "RETAIL_B2C",
    (
        MetadataDefinition("nps", MetadataType.NPS, bounds=Bounds(10, 0)),
        MetadataDefinition("csat", MetadataType.CSAT, bounds=Bounds(5, 1)),
        MetadataDefinition("amount", MetadataType.NUMBER),
        MetadataDefinition("store", MetadataType.STRING, allowed_values=tuple(f"s{n:03d}" for n in range(STORES))),
    ),
    0,
    0,
)


@dataclass
class Corpus:
    """Documents column by column; -1 is a missing score. `mention_*` run in parallel, sorted by document."""

    created: Array
    store: Array
    nps: Array
    csat: Array
    cents: Array
    mention_doc: Array
    mention_term: Array
    mention_opinion: Array
    dead: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def documents(self) -> int:
        """How many documents, the replaced ones included."""
        return len(self.created)


def make_corpus(documents: int, seed: int) -> Corpus:
    """Two years in rough order of date, a tenth late; Zipf terms, eight a document; 300 stores."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, DAYS, documents, dtype=np.int32))
    late = rng.random(documents) < LATE
    day[late] = (day[late] * rng.random(int(late.sum()))).astype(np.int32)
    created = (day.astype(np.int64) + FIRST_DAY) * DAY + rng.integers(0, DAY, documents)
    weights = 1 / np.arange(1, TERMS + 1)
    edges = np.cumsum(weights / weights.sum())
    term = np.minimum(np.searchsorted(edges, rng.random(documents * TERMS_EACH, np.float32)), TERMS - 1).astype(
        np.int32
    )
    opinion = rng.choice(3, documents * TERMS_EACH, p=[0.45, 0.35, 0.2]).astype(np.int8)
    doc = np.repeat(np.arange(documents, dtype=np.int32), TERMS_EACH)
    pair = doc.astype(np.int64) * (TERMS * 3) + term * 3 + opinion
    kept = np.unique(pair)
    del pair
    key = (kept % (TERMS * 3)).astype(np.int32)
    return Corpus(
        created,
        (rng.zipf(1.3, documents) % STORES).astype(np.int16),
        np.where(rng.random(documents) < 0.1, -1, rng.choice(11, documents, p=_NPS)).astype(np.int8),
        np.where(rng.random(documents) < 0.2, -1, rng.integers(1, 6, documents)).astype(np.int8),
        rng.integers(0, 20_000, documents, dtype=np.int32),
        (kept // (TERMS * 3)).astype(np.int32),
        key // 3,
        (key % 3).astype(np.int8),
    )


_NPS = np.array([4, 2, 3, 3, 4, 6, 7, 12, 20, 21, 18]) / 100


def store_corpus(corpus: Corpus, directory: Path, segment: int = SEGMENT) -> Engine:
    """A database with the corpus in segments of 65,536 documents, as compaction leaves them, or of another size."""
    engine = open_engine(f"sqlite:///{directory / 'feedback.db'}")
    upgrade(engine)
    with engine.begin() as connection:
        _dictionaries(connection)
        bounds = np.searchsorted(corpus.mention_doc, np.arange(0, corpus.documents + segment, segment)).tolist()
        for number, start in enumerate(range(0, corpus.documents, segment)):
            mentions = slice(bounds[number], bounds[number + 1])
            insert_segment(connection, DATASET.id, _loose(corpus, slice(start, start + segment), mentions))
    return engine


def replace(corpus: Corpus, engine: Engine, share: float, seed: int) -> Corpus:
    """Replace a share of the documents, spread evenly, by copies at the end; the corpus that is left afterwards."""
    rng = np.random.default_rng(seed)
    dead = np.sort(rng.choice(corpus.documents, int(corpus.documents * share), replace=False))
    gone = np.zeros(corpus.documents, np.bool_)
    gone[dead] = True
    mentions = gone[corpus.mention_doc]
    renumbered = np.cumsum(gone) - 1
    with engine.begin() as connection:
        connection.execute(update(datasets).values(generation=datasets.c.generation + 1))
        ids = connection.execute(select(segments.c.id).order_by(segments.c.id)).scalars().all()
        bury(connection, DATASET.id, [(ids[d // SEGMENT], d % SEGMENT) for d in dead.tolist()])
        fresh = Corpus(
            corpus.created[dead],
            corpus.store[dead],
            corpus.nps[dead],
            corpus.csat[dead],
            corpus.cents[dead],
            renumbered[corpus.mention_doc[mentions]].astype(np.int32),
            corpus.mention_term[mentions],
            corpus.mention_opinion[mentions],
        )
        # The new versions are of another store, so that an answer from the old ones would be wrong.
        fresh.store = (fresh.store + 1) % STORES
        bounds = np.searchsorted(fresh.mention_doc, np.arange(0, fresh.documents + SEGMENT, SEGMENT)).tolist()
        for number, start in enumerate(range(0, fresh.documents, SEGMENT)):
            theirs = slice(bounds[number], bounds[number + 1])
            insert_segment(connection, DATASET.id, _loose(fresh, slice(start, start + SEGMENT), theirs))
    alive = ~gone
    new_number = np.cumsum(alive) - 1
    living = alive[corpus.mention_doc]
    base = int(alive.sum())
    return Corpus(
        np.concatenate([corpus.created[alive], fresh.created]),
        np.concatenate([corpus.store[alive], fresh.store]),
        np.concatenate([corpus.nps[alive], fresh.nps]),
        np.concatenate([corpus.csat[alive], fresh.csat]),
        np.concatenate([corpus.cents[alive], fresh.cents]),
        np.concatenate([new_number[corpus.mention_doc[living]], fresh.mention_doc + base]).astype(np.int32),
        np.concatenate([corpus.mention_term[living], fresh.mention_term]),
        np.concatenate([corpus.mention_opinion[living], fresh.mention_opinion]),
    )


def _dictionaries(connection: Connection) -> None:
    connection.execute(insert(organisations), {"id": "o" * 24, "name": "Benchmark", "created_at": 0})
    row = {
        "id": DATASET.id,
        "organisation_id": DATASET.organisation_id,
        "name": DATASET.name,
        "lang": DATASET.lang,
        "type": DATASET.type,
        "industry": DATASET.industry,
        "metadata_definitions": msgspec.json.encode(DATASET.metadata_definitions),
        "state": "ACTIVE",
        "created_at": 0,
        "updated_at": 0,
    }
    connection.execute(insert(datasets), row)
    mine = {"dataset_id": DATASET.id}
    connection.execute(
        insert(terms), [mine | {"code": n, "term": f"w{n:05d}__NOUN__1", "label": f"w{n:05d}"} for n in range(TERMS)]
    )
    values = [("metadata.store", n + 1, f"s{n:03d}") for n in range(STORES)] + [
        ("type", 1, "SURVEY"),
        ("lang", 1, "en"),
    ]
    connection.execute(
        insert(categories), [mine | {"field": f, "code": c, "value": v, "label": v} for f, c, v in values]
    )


def _loose(corpus: Corpus, rows: slice, mentions: slice) -> Loose:
    rows = slice(rows.start, min(rows.stop, corpus.documents))
    size = rows.stop - rows.start
    here, one = np.ones(size, np.bool_), np.ones(size, np.int64)
    created = corpus.created[rows]
    nps, csat = corpus.nps[rows].astype(np.int64), corpus.csat[rows].astype(np.int64)
    key = corpus.mention_term[mentions].astype(np.int64) * 3 + corpus.mention_opinion[mentions]
    return Loose(
        size,
        {
            "createdAt": Instants(created, here),
            "updatedAt": Instants(created, here),
            "type": Codes(one),
            "lang": Codes(one),
            "externalId": Texts([b"%012d" % n for n in range(rows.start, rows.stop)]),
            "metadata.nps": Integers(nps, nps >= 0),
            "metadata.csat": Integers(csat, csat >= 0),
            "metadata.amount": Integers(corpus.cents[rows].astype(np.int64), here, 2),
            "metadata.store": Codes(corpus.store[rows].astype(np.int64) + 1),
            "TERMS": Pairs(corpus.mention_doc[mentions].astype(np.int64) - rows.start, key),
        },
    )


def segments_of(engine: Engine) -> tuple[int, int]:
    """Segments of the database and the bytes of their payloads."""
    with engine.connect() as connection:
        count, size = connection.execute(select(func.count(), func.sum(func.length(segments.c.payload)))).one()
    return count, size
