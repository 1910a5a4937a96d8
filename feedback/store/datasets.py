"""Datasets, always seen through the organisation that owns them."""

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from feedback.domain.dataset import Dataset, MetadataDefinition
from feedback.domain.declaration import Declaration
from feedback.domain.identifiers import is_id, new_id
from feedback.domain.timestamps import now_ms
from feedback.errors import Conflict, NotFound
from feedback.store.engine import AnyRow
from feedback.store.tables import datasets, monthly_documents, segments, tombstones

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[MetadataDefinition, ...]).decode
# Statements of every chunk and every request are made once: making one takes several times as long as running it.
_FIND = select(datasets).where(datasets.c.id == bindparam("wanted"))
_OWN = _FIND.where(datasets.c.organisation_id == bindparam("owner"))
_LOCK = (
    update(datasets)
    .where(datasets.c.id == bindparam("wanted"))
    .values(generation=datasets.c.generation + 1)
    .returning(datasets.c.last_seq)
)


def create_dataset(connection: Connection, organisation_id: str, declaration: Declaration) -> Dataset:
    """Stores a new dataset; Conflict where the organisation has one of that name."""
    now = now_ms()
    dataset = Dataset(
        id=new_id(),
        organisation_id=organisation_id,
        created_at=now,
        updated_at=now,
        **{name: getattr(declaration, name) for name in declaration.__struct_fields__},
    )
    values = msgspec.structs.asdict(dataset) | {"metadata_definitions": _encode(dataset.metadata_definitions)}
    try:
        with connection.begin_nested():
            connection.execute(insert(datasets).values(values))
    except IntegrityError:
        message = f"there is a dataset named {declaration.name} already"
        raise Conflict(message, field="name") from None
    return dataset


def get_dataset(connection: Connection, organisation_id: str, dataset_id: str) -> Dataset:
    """One dataset of an organisation; NotFound where there is none, or it belongs to another."""
    if is_id(dataset_id):
        row = connection.execute(_OWN, {"wanted": dataset_id, "owner": organisation_id}).first()
        if row is not None:
            return _dataset(row)
    message = f"there is no dataset {dataset_id}"
    raise NotFound(message)


def find_dataset(connection: Connection, dataset_id: str) -> Dataset | None:
    """A dataset by id alone, for the worker; None where it was deleted."""
    row = connection.execute(_FIND, {"wanted": dataset_id}).first()
    return None if row is None else _dataset(row)


def list_datasets(connection: Connection, organisation_id: str, offset: int, limit: int) -> tuple[int, list[Dataset]]:
    """How many datasets an organisation has, and a page of them, oldest first."""
    own = datasets.c.organisation_id == organisation_id
    total = connection.scalar(select(func.count()).select_from(datasets).where(own)) or 0
    rows = connection.execute(
        select(datasets).where(own).order_by(datasets.c.created_at, datasets.c.id).offset(offset).limit(limit)
    )
    return total, [_dataset(row) for row in rows]


def amend_dataset(connection: Connection, dataset: Dataset, definitions: tuple[MetadataDefinition, ...]) -> Dataset:
    """Stores a dataset's amended metadata definitions."""
    now = now_ms()
    connection.execute(
        update(datasets)
        .where(datasets.c.id == dataset.id)
        .values(metadata_definitions=_encode(definitions), updated_at=now)
    )
    return msgspec.structs.replace(dataset, metadata_definitions=definitions, updated_at=now)


def delete_dataset(connection: Connection, dataset: Dataset) -> None:
    """Deletes a dataset with all that hangs on it."""
    connection.execute(delete(tombstones).where(tombstones.c.dataset_id == dataset.id))
    connection.execute(delete(segments).where(segments.c.dataset_id == dataset.id))
    connection.execute(delete(datasets).where(datasets.c.id == dataset.id))


def lock_dataset(connection: Connection, dataset_id: str) -> int | None:
    """Takes the dataset's lock until the transaction ends; None where it is gone.

    Whatever changes documents or segments takes it first, and so moves the generation, from which readers can tell what
    they see. Returns the place of what was accepted last.
    """
    last: int | None = connection.scalar(_LOCK, {"wanted": dataset_id})
    return last


def next_seq(connection: Connection, dataset_id: str) -> int:
    """The next place in the dataset's order of acceptance; NotFound where the dataset is gone."""
    seq: int | None = connection.scalar(
        update(datasets)
        .where(datasets.c.id == dataset_id)
        .values(last_seq=datasets.c.last_seq + 1)
        .returning(datasets.c.last_seq)
    )
    if seq is None:
        message = f"there is no dataset {dataset_id}"
        raise NotFound(message)
    return seq


def monthly_counts(connection: Connection, dataset_ids: list[str]) -> dict[str, list[tuple[str, int]]]:
    """Documents imported a month, oldest month first, of several datasets."""
    rows = connection.execute(
        select(monthly_documents.c.dataset_id, monthly_documents.c.month, monthly_documents.c["count"])
        .where(monthly_documents.c.dataset_id.in_(dataset_ids))
        .order_by(monthly_documents.c.month)
    )
    counts: dict[str, list[tuple[str, int]]] = {dataset_id: [] for dataset_id in dataset_ids}
    for dataset_id, month, count in rows:
        counts[dataset_id].append((month, count))
    return counts


def _dataset(row: AnyRow) -> Dataset:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's documented access to a row as a mapping.
    values.pop("last_seq")
    values["metadata_definitions"] = _decode(values["metadata_definitions"])
    return Dataset(**values)
