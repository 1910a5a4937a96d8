"""Codes of terms and of every other repeated string: allocated per dataset, in the transaction that first needs them.

Codes are for ever: a dataset's segments share one dictionary, and merging segments never recodes anything.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from weakref import WeakKeyDictionary, WeakSet

import msgspec
from sqlalchemy import Connection, Engine, Select, Transaction, func, insert, select

from feedback.store.tables import categories, terms


def label_of(term: str) -> str:
    """The label in a term id: `customer service` for `customer_service__NOUN__1`."""
    return term.rsplit("__", 2)[0].replace("_", " ")


def term_codes(connection: Connection, dataset_id: str, wanted: Iterable[str]) -> dict[str, int]:
    """The code of each term id; new ones are allocated."""
    ordered = list(dict.fromkeys(wanted))
    found, missing = _look_up(connection, dataset_id, "TERMS", ordered, existing_terms)
    return found | _allocate_terms(connection, dataset_id, missing) if missing else found


def category_codes(connection: Connection, dataset_id: str, field: str, labels: Mapping[str, str]) -> dict[str, int]:
    """The code, from 1, of each value of a field (`labels`: value to label); new ones are allocated."""
    name = f"values of {field}"
    found, missing = _look_up(connection, dataset_id, name, list(labels), partial(_existing_of, field=field))
    return found | _allocate_categories(connection, dataset_id, field, labels, missing) if missing else found


def _look_up(
    connection: Connection, dataset_id: str, name: str, wanted: list[str], read: "Reader"
) -> tuple[dict[str, int], list[str]]:
    """Codes of those that have one, and those that have none."""
    known = _committed(connection, dataset_id).setdefault(name, {})
    found = {value: known[value] for value in wanted if value in known}
    if len(found) == len(wanted):
        return found, []
    stored = read(connection, dataset_id, [value for value in wanted if value not in found])
    if connection.get_transaction() not in _allocating and len(known) < MOST_KNOWN:
        known |= stored
    found |= stored
    return found, [value for value in wanted if value not in found]


def _existing_of(connection: Connection, dataset_id: str, wanted: list[str], *, field: str) -> dict[str, int]:
    return existing_categories(connection, dataset_id, field, wanted)


def _allocate_terms(connection: Connection, dataset_id: str, missing: list[str]) -> dict[str, int]:
    highest = select(func.coalesce(func.max(terms.c.code), -1)).where(terms.c.dataset_id == dataset_id)
    first = _next_code(connection, highest)
    new = {term: first + i for i, term in enumerate(missing)}
    rows = [(dataset_id, code, term, label_of(term)) for term, code in new.items()]
    connection.exec_driver_sql(_NEW_TERM[connection.dialect.name], rows)
    return new


def _allocate_categories(
    connection: Connection, dataset_id: str, field: str, labels: Mapping[str, str], missing: list[str]
) -> dict[str, int]:
    mine = (categories.c.dataset_id == dataset_id) & (categories.c.field == field)
    first = _next_code(connection, select(func.coalesce(func.max(categories.c.code), 0)).where(mine))
    new = {value: first + i for i, value in enumerate(missing)}
    keys = {"dataset_id": dataset_id, "field": field}
    connection.execute(insert(categories), [keys | {"code": c, "value": v, "label": labels[v]} for v, c in new.items()])
    return new


def _next_code(connection: Connection, highest: Select[tuple[int]]) -> int:
    transaction = connection.get_transaction()
    if transaction is not None:
        _allocating.add(transaction)
    return connection.execute(highest).scalar_one() + 1


# Hundreds of rows a chunk: SQLAlchemy's own statement would take as long again to arrange its parameters.
_NEW_TERM = {
    "sqlite": "INSERT INTO terms (dataset_id, code, term, label) VALUES (?, ?, ?, ?)",
    "postgresql": "INSERT INTO terms (dataset_id, code, term, label) VALUES (%s, %s, %s, %s)",
}
Reader = Callable[[Connection, str, list[str]], dict[str, int]]

# Codes that are committed, by engine, dataset and field: most names of a chunk were seen before. What a transaction
# finds after it allocated codes itself may yet be rolled back, so it is not remembered.
_known: WeakKeyDictionary[Engine, dict[str, dict[str, dict[str, int]]]] = WeakKeyDictionary()
_allocating: WeakSet[Transaction] = WeakSet()
MOST_KNOWN = 200_000
MOST_DATASETS = 16


def _committed(connection: Connection, dataset_id: str) -> dict[str, dict[str, int]]:
    datasets = _known.setdefault(connection.engine, {})
    if dataset_id not in datasets and len(datasets) >= MOST_DATASETS:
        datasets.pop(next(iter(datasets)), None)
    return datasets.setdefault(dataset_id, {})


def existing_terms(connection: Connection, dataset_id: str, wanted: list[str]) -> dict[str, int]:
    """The code of each of these term ids that has one."""
    return _existing(connection, _TERMS, {"dataset": dataset_id}, wanted)


def existing_categories(connection: Connection, dataset_id: str, field: str, wanted: list[str]) -> dict[str, int]:
    """The code of each of these values of a field that has one."""
    return _existing(connection, _CATEGORIES, {"dataset": dataset_id, "field": field}, wanted)


# One parameter whatever the number of values: thousands of placeholders would cost more than the look-up. CROSS JOIN
# keeps SQLite from walking the whole dictionary in search of a few values.
_TERMS = {
    "sqlite": "SELECT term, code FROM json_each(:wanted) CROSS JOIN terms ON dataset_id = :dataset AND term = value",
    "postgresql": "SELECT term, code FROM terms WHERE dataset_id = %(dataset)s AND term = ANY(%(wanted)s)",
}
_CATEGORIES = {
    "sqlite": "SELECT value, code FROM categories WHERE dataset_id = :dataset AND field = :field "
    "AND value IN (SELECT value FROM json_each(:wanted))",
    "postgresql": "SELECT value, code FROM categories WHERE dataset_id = %(dataset)s AND field = %(field)s "
    "AND value = ANY(%(wanted)s)",
}


def _existing(
    connection: Connection, statements: Mapping[str, str], keys: Mapping[str, str], wanted: list[str]
) -> dict[str, int]:
    if not wanted:
        return {}
    dialect = connection.dialect.name
    listed = msgspec.json.encode(wanted).decode() if dialect == "sqlite" else wanted
    rows = connection.exec_driver_sql(statements[dialect], {**keys, "wanted": listed})
    return {value: code for value, code in rows.all()}  # noqa: C416 -- a row is no pair to mypy


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(values: Iterable[str]) -> list[str]:
    """Those that a database can hold at all: asking PostgreSQL for others would be an error, not an empty answer."""
    return [value for value in values if not _UNSTORABLE.search(value)]
