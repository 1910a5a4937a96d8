"""Codes of terms and of every other repeated string: allocated per dataset, in the transaction that first needs them.

Codes are for ever: a dataset's segments share one dictionary, and merging segments never recodes anything.
"""

from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import Connection, func, insert, select

from feedback.store.tables import categories, terms


def label_of(term: str) -> str:
    """The label in a term id: `customer service` for `customer_service__NOUN__1`."""
    return term.rsplit("__", 2)[0].replace("_", " ")


def term_codes(connection: Connection, dataset_id: str, wanted: Iterable[str]) -> dict[str, int]:
    """The code of each term id; new ones are allocated."""
    ordered = list(dict.fromkeys(wanted))
    found = existing_terms(connection, dataset_id, ordered)
    missing = [term for term in ordered if term not in found]
    if missing:
        highest = select(func.coalesce(func.max(terms.c.code), -1)).where(terms.c.dataset_id == dataset_id)
        first = connection.execute(highest).scalar_one() + 1
        new = {term: first + i for i, term in enumerate(missing)}
        rows = [{"dataset_id": dataset_id, "code": c, "term": t, "label": label_of(t)} for t, c in new.items()]
        connection.execute(insert(terms), rows)
        found |= new
    return found


def category_codes(connection: Connection, dataset_id: str, field: str, labels: Mapping[str, str]) -> dict[str, int]:
    """The code, from 1, of each value of a field (`labels`: value to label); new ones are allocated."""
    found = existing_categories(connection, dataset_id, field, list(labels))
    missing = [value for value in labels if value not in found]
    if missing:
        mine = (categories.c.dataset_id == dataset_id) & (categories.c.field == field)
        first = connection.execute(select(func.coalesce(func.max(categories.c.code), 0)).where(mine)).scalar_one() + 1
        new = {value: first + i for i, value in enumerate(missing)}
        keys = {"dataset_id": dataset_id, "field": field}
        connection.execute(
            insert(categories), [keys | {"code": c, "value": v, "label": labels[v]} for v, c in new.items()]
        )
        found |= new
    return found


def existing_terms(connection: Connection, dataset_id: str, wanted: list[str]) -> dict[str, int]:
    """The code of each of these term ids that has one."""
    return _existing(connection, _TERMS, {"dataset": dataset_id}, wanted)


def existing_categories(connection: Connection, dataset_id: str, field: str, wanted: list[str]) -> dict[str, int]:
    """The code of each of these values of a field that has one."""
    return _existing(connection, _CATEGORIES, {"dataset": dataset_id, "field": field}, wanted)


# One parameter whatever the number of values: thousands of placeholders would cost more than the look-up.
_TERMS = {
    "sqlite": "SELECT term, code FROM terms WHERE dataset_id = :dataset "
    "AND term IN (SELECT value FROM json_each(:wanted))",
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
    wanted = [value for value in wanted if _storable(value)]
    if not wanted:
        return {}
    dialect = connection.dialect.name
    listed = msgspec.json.encode(wanted).decode() if dialect == "sqlite" else wanted
    rows = connection.exec_driver_sql(statements[dialect], {**keys, "wanted": listed})
    return {value: code for value, code in rows}  # noqa: C416 -- rows are not pairs to dict()


def _storable(value: str) -> bool:
    # What no database stores, none can hold: asking PostgreSQL for it would be an error instead of an empty answer.
    return "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value)
