"""A real database into which tests put documents as the worker does: in chunks, replaced, erased and compacted."""

import time
from collections.abc import Iterable, Sequence
from itertools import count

import msgspec
from sqlalchemy import Connection, Engine, delete, insert, select, update

from feedback.domain.dataset import Bounds, Dataset, MetadataDefinition, MetadataType
from feedback.domain.document import Analysis, Enrichment, Offset, Topic
from feedback.domain.findings import findings_of, places
from feedback.store.segments import SegmentRows, bury, compact, write
from feedback.store.segments.runs import located
from feedback.store.tables import datasets, documents, instance, metadata, organisations, own_entries
from tests.aggregation.reference import Doc, World

_numbers = count(1)
NOWHERE = Offset(0, 0)

DEFINITIONS = (
    MetadataDefinition("nps", MetadataType.NPS, bounds=Bounds(10, 0)),
    MetadataDefinition("csat", MetadataType.CSAT, bounds=Bounds(5, 1)),
    MetadataDefinition("ces", MetadataType.CES),
    MetadataDefinition("amount", MetadataType.NUMBER, bounds=Bounds(upper=100)),
    MetadataDefinition("when", MetadataType.DATETIME),
    MetadataDefinition("store", MetadataType.STRING, allowed_values=("Łódź", "Paris", "paris", "東京", "Zürich")),
    MetadataDefinition("note", MetadataType.STRING),
    MetadataDefinition("place", MetadataType.LATLNG),
    MetadataDefinition("vip", MetadataType.BOOLEAN),
    MetadataDefinition("phone", MetadataType.STRING, personal_data=True),
)


class Shelf:
    """One database. Datasets on it are independent of each other."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        metadata.create_all(engine)
        with engine.begin() as connection:
            if connection.execute(select(instance.c.id)).first() is None:
                connection.execute(insert(instance), {"id": f"{time.time_ns():024x}", "created_at": 0})
            if connection.execute(select(organisations.c.id)).first() is None:
                connection.execute(insert(organisations), {"id": "o" * 24, "name": "Acme", "created_at": 0})

    def dataset(self, definitions: Sequence[MetadataDefinition] = DEFINITIONS) -> Dataset:
        number = next(_numbers)
        made = Dataset(
            f"{number:024x}", "o" * 24, f"Set {number}", "en", "SURVEY", "RETAIL_B2C", tuple(definitions), 0, 0
        )
        row = {
            "id": made.id,
            "organisation_id": made.organisation_id,
            "name": made.name,
            "lang": "en",
            "type": made.type,
            "industry": made.industry,
            "metadata_definitions": msgspec.json.encode(made.metadata_definitions),
            "state": "ACTIVE",
            "created_at": 0,
            "updated_at": 0,
        }
        mood = {"id": f"{next(_numbers):024x}", "dataset_id": made.id, "kind": "CLASSIFIER", "code": "mood"}
        with self.engine.begin() as connection:
            connection.execute(insert(datasets), row)
            connection.execute(insert(own_entries), mood | {"definition": b"{}", "created_at": 0})
        return made

    def put(self, dataset: Dataset, docs: Sequence[Doc]) -> None:
        """Store documents in one transaction, in place of those with the same external ids."""
        with self.engine.begin() as connection:
            lock(connection, dataset)
            bury(connection, dataset.id, take_out(connection, dataset, [d.external_id for d in docs]))
            segment = write(connection, dataset, as_rows(docs))
            rows = [document_row(dataset, d, segment, row) for row, d in enumerate(docs)]
            connection.execute(insert(documents), rows)

    def erase(self, dataset: Dataset, external_ids: Iterable[str], at: int | None = None) -> None:
        with self.engine.begin() as connection:
            lock(connection, dataset)
            bury(connection, dataset.id, take_out(connection, dataset, external_ids), at)

    def compact(self, dataset: Dataset) -> int:
        return compact(self.engine, dataset, eager=True)

    def places(self, dataset: Dataset) -> dict[tuple[int, int], str]:
        """External id by (segment id, row)."""
        query = select(documents.c.run_id, documents.c.run_row, documents.c.external_id)
        with self.engine.connect() as connection:
            rows = connection.execute(query.where(documents.c.dataset_id == dataset.id)).all()
            found = located(connection, [(run, row) for run, row, _ in rows])
        return {place: external_id for place, (_, _, external_id) in zip(found, rows, strict=True)}


def lock(connection: Connection, dataset: Dataset) -> None:
    bump = update(datasets).where(datasets.c.id == dataset.id)
    connection.execute(bump.values(generation=datasets.c.generation + 1))


def take_out(connection: Connection, dataset: Dataset, external_ids: Iterable[str]) -> list[tuple[int, int]]:
    mine = (documents.c.dataset_id == dataset.id) & documents.c.external_id.in_(list(external_ids))
    rows = connection.execute(select(documents.c.run_id, documents.c.run_row).where(mine)).all()
    connection.execute(delete(documents).where(mine))
    return [(segment, row) for segment, row in rows]


def as_rows(docs: Sequence[Doc]) -> SegmentRows:
    findings = findings_of([as_analysis(doc) for doc in docs])
    return SegmentRows(
        [doc.external_id for doc in docs],
        [doc.created_at for doc in docs],
        [doc.updated_at for doc in docs],
        [doc.type for doc in docs],
        [doc.lang for doc in docs],
        [doc.metadata for doc in docs],
        places(findings),
    )


def as_analysis(doc: Doc) -> Analysis:
    return Analysis(
        tuple(Enrichment(term, opinion, NOWHERE) for term, opinion in doc.terms),  # type: ignore[arg-type]
        tuple(Topic(code, label, opinion) for code, label, opinion in doc.topics),  # type: ignore[arg-type]
        doc.classifiers,
    )


def document_row(dataset: Dataset, doc: Doc, segment: int, row: int) -> dict[str, object]:
    return {
        "dataset_id": dataset.id,
        "external_id": doc.external_id,
        "id": f"{next(_numbers):024x}",
        "import_id": "i" * 24,
        "import_seq": 1,
        "document_index": row,
        "lang": doc.lang,
        "type": doc.type,
        "content": "",
        "metadata": b"[]",
        "enrichments": b"[]",
        "topics": b"[]",
        "classifiers": b"{}",
        "analysis_version": "1",
        "created_at": doc.created_at,
        "updated_at": doc.updated_at,
        "analysed_at": doc.updated_at,
        "run_id": segment,
        "run_row": row,
    }


def make_world(docs: Iterable[Doc], definitions: Sequence[MetadataDefinition] = DEFINITIONS) -> World:
    """What the reference needs to know of documents of a dataset; personal data are not aggregated."""
    types = {d.code: d.type.value for d in definitions}
    uppers = {d.code: d.bounds.upper for d in definitions if d.bounds is not None and d.bounds.upper is not None}
    return World(list(docs), types, uppers)
