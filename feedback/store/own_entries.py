"""A dataset's own topics, opinion entries and classifiers, as they are stored."""

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from feedback.domain.dataset import Dataset
from feedback.domain.identifiers import is_id, new_id
from feedback.domain.own_entries import DEFINITIONS, MOST, Definition, Kind, OwnEntry, name_of
from feedback.domain.timestamps import now_ms
from feedback.errors import Code, Conflict, NotFound
from feedback.store.engine import AnyRow
from feedback.store.tables import own_entries

_encode = msgspec.json.Encoder().encode
# Made here: msgspec may crash where two threads are the first to meet a type.
_DECODERS = {kind: msgspec.json.Decoder(shape) for kind, shape in DEFINITIONS.items()}
_COLUMNS = [own_entries.c[name] for name in OwnEntry.__struct_fields__]
_ALL = (
    select(*_COLUMNS)
    .where(own_entries.c.dataset_id == bindparam("dataset"))
    .order_by(own_entries.c.created_at, own_entries.c.id)
)


def create_entry(connection: Connection, dataset: Dataset, kind: Kind, definition: Definition) -> OwnEntry:
    """Stores an entry; Conflict where the dataset has one of that name, or as many as it may."""
    own = (own_entries.c.dataset_id == dataset.id) & (own_entries.c.kind == kind)
    if (connection.scalar(select(func.count()).select_from(own_entries).where(own)) or 0) >= MOST[kind]:
        message = f"a dataset has at most {MOST[kind]} {kind}; delete one first"
        raise Conflict(message, code=Code.TOO_MANY)
    entry = OwnEntry(new_id(), kind, definition, now_ms())
    values: dict[str, object] = {"id": entry.id, "dataset_id": dataset.id, "kind": kind, "code": name_of(definition)}
    values |= {"definition": _encode(definition), "created_at": entry.created_at}
    try:
        with connection.begin_nested():
            connection.execute(insert(own_entries).values(values))
    except IntegrityError:
        field = "term" if kind is Kind.OPINION else "code"
        message = f"the dataset has an entry of that {field} among its {kind} already; delete it first"
        raise Conflict(message, field=field) from None
    return entry


def get_entry(connection: Connection, dataset: Dataset, kind: Kind, entry_id: str) -> OwnEntry:
    """One entry of a dataset; NotFound where there is none."""
    if is_id(entry_id):
        row = connection.execute(
            select(*_COLUMNS).where(
                own_entries.c.id == entry_id, own_entries.c.dataset_id == dataset.id, own_entries.c.kind == kind
            )
        ).first()
        if row is not None:
            return _entry(row)
    message = f"there is nothing of id {entry_id} among this dataset's {kind}"
    raise NotFound(message)


def list_entries(
    connection: Connection, dataset: Dataset, kind: Kind, offset: int, limit: int
) -> tuple[int, list[OwnEntry]]:
    """How many entries of a kind a dataset has, and a page of them, oldest first."""
    own = (own_entries.c.dataset_id == dataset.id) & (own_entries.c.kind == kind)
    total = connection.scalar(select(func.count()).select_from(own_entries).where(own)) or 0
    oldest = (own_entries.c.created_at, own_entries.c.id)
    rows = connection.execute(select(*_COLUMNS).where(own).order_by(*oldest).offset(offset).limit(limit))
    return total, [_entry(row) for row in rows]


def delete_entry(connection: Connection, entry: OwnEntry) -> None:
    """Takes an entry out of the analysis of what is imported from now on."""
    connection.execute(delete(own_entries).where(own_entries.c.id == entry.id))


def all_entries(connection: Connection, dataset_id: str) -> list[OwnEntry]:
    """Everything a dataset adds to the analysis, oldest first."""
    return [_entry(row) for row in connection.execute(_ALL, {"dataset": dataset_id})]


def _entry(row: AnyRow) -> OwnEntry:
    kind = Kind(row.kind)
    return OwnEntry(row.id, kind, _DECODERS[kind].decode(row.definition), row.created_at)
