"""The strings behind a dataset's codes, fetched when a question needs them and kept, since codes never change."""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from threading import Lock

import numpy as np
from sqlalchemy import Connection, Row, select

from feedback.aggregation.counting import distinct
from feedback.domain.fields import CLASSIFIER
from feedback.store.segments.codes import existing_categories, existing_terms, storable
from feedback.store.tables import categories, own_entries, terms

SEPARATOR = "\0"
MOST_REMEMBERED = 100_000
MOST_SEARCHES = 100
# So many terms are read at a time, since their rows take far more memory than their labels.
AT_ONCE = 1_000

Named = tuple[str, str]
"""(id, label)."""
Reader = Callable[[list[str]], dict[str, int]]


class Dictionary:
    """Reads one dataset's terms and categories. Safe to share between threads."""

    def __init__(self, dataset_id: str) -> None:
        """Nothing is read yet."""
        self.dataset_id = dataset_id
        self._terms: dict[int, Named] = {}
        self._categories: dict[str, dict[int, Named]] = {}
        self._codes_of: dict[str, dict[str, int]] = {}
        self._labels, self._ends, self._searched = "", np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        self._matching: dict[str, tuple[int, ...]] = {}
        self._lock = Lock()

    def terms(self, connection: Connection, codes: Iterable[int]) -> dict[int, Named]:
        """(id, label) of each term code."""
        wanted = list(codes)
        missing = [code for code in wanted if code not in self._terms]
        for batch in _batches(missing):
            query = select(terms.c.code, terms.c.term, terms.c.label)
            mine = terms.c.dataset_id == self.dataset_id
            self._terms.update(_named(connection.execute(query.where(mine, terms.c.code.in_(batch))).all()))
        return {code: self._terms[code] for code in wanted}

    def categories(self, connection: Connection, field: str, codes: Iterable[int]) -> dict[int, Named]:
        """(value, label) of each code of a field."""
        wanted = list(codes)
        known = self._categories.setdefault(field, {})
        missing = [code for code in wanted if code not in known]
        for batch in _batches(missing):
            query = select(categories.c.code, categories.c.value, categories.c.label)
            mine = (categories.c.dataset_id == self.dataset_id) & (categories.c.field == field)
            known.update(_named(connection.execute(query.where(mine, categories.c.code.in_(batch))).all()))
        return {code: known[code] for code in wanted}

    def term_codes(self, connection: Connection, ids: Collection[str]) -> list[int]:
        """Codes of those term ids that the dataset knows."""
        known = self._codes_of.setdefault("TERMS", {})
        return _remembered(known, ids, partial(existing_terms, connection, self.dataset_id))

    def category_codes(self, connection: Connection, field: str, values: Collection[str]) -> list[int]:
        """Codes of those values that the field has ever had."""
        known = self._codes_of.setdefault(field, {})
        return _remembered(known, values, partial(existing_categories, connection, self.dataset_id, field))

    def matching(self, connection: Connection, q: str) -> tuple[int, ...]:
        """Sorted codes of the terms whose folded label contains the folded `q`."""
        wanted = fold(q)
        with self._lock:
            last = int(self._searched[-1]) if len(self._searched) else -1
            query = select(terms.c.code, terms.c.label).where(terms.c.dataset_id == self.dataset_id)
            newer = connection.execute(query.where(terms.c.code > last).order_by(terms.c.code))
            if self._search_also(newer.partitions(AT_ONCE)):
                self._matching.clear()
            searched, labels, ends = self._searched, self._labels, self._ends
            if wanted in self._matching:
                return self._matching[wanted]
        # One search in all labels together is a tenth of the time of a search in each.
        found = np.array(list(_places(labels, wanted)) if SEPARATOR not in wanted else [], np.uint32)
        places = distinct(np.searchsorted(ends, found, side="right"))
        codes = tuple(searched[places].tolist())
        with self._lock:
            if len(self._matching) < MOST_SEARCHES and searched is self._searched:
                self._matching[wanted] = codes
        return codes

    def _search_also(self, newer: Iterable[Sequence[Row[tuple[int, str]]]]) -> bool:
        """Take in the labels of new terms; whether there were any."""
        searched, ends, labels, end = [self._searched], [self._ends], [self._labels], len(self._labels)
        for rows in newer:
            folded = [fold(label) for _, label in rows]
            searched.append(np.array([code for code, _ in rows], np.uint32))
            ends.append((end + np.cumsum([len(label) + 1 for label in folded])).astype(np.uint32))
            labels.append(SEPARATOR.join(folded) + SEPARATOR)
            end += len(labels[-1])
        if len(labels) == 1:
            return False
        self._searched, self._ends, self._labels = np.concatenate(searched), np.concatenate(ends), "".join(labels)
        return True

    def classifiers(self, connection: Connection) -> set[str]:
        """Codes of the classifiers that the dataset declares or whose values its documents have."""
        query = select(categories.c.field).distinct().where(categories.c.dataset_id == self.dataset_id)
        seen = connection.execute(query.where(categories.c.field.startswith(CLASSIFIER, autoescape=True))).scalars()
        declared = select(own_entries.c.code).where(own_entries.c.dataset_id == self.dataset_id)
        own = connection.execute(declared.where(own_entries.c.kind.ilike("classifier%"))).scalars()
        return {field.removeprefix(CLASSIFIER) for field in seen} | set(own)


class Classifiers(Collection[str]):
    """The classifiers of a dataset, looked up only when a request speaks of one."""

    def __init__(self, dictionary: Dictionary, connection: Connection) -> None:
        """Nothing is read yet."""
        self._read = partial(dictionary.classifiers, connection)

    @cached_property
    def _codes(self) -> set[str]:
        return self._read()

    def __contains__(self, code: object) -> bool:
        """Whether the dataset has such a classifier."""
        return code in self._codes

    def __iter__(self) -> Iterator[str]:
        """Their codes."""
        return iter(self._codes)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._codes)


def fold(text: str) -> str:
    """Casefolded, without accents."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


def _remembered(
    known: dict[str, int], names: Collection[str], read: Callable[[list[str]], dict[str, int]]
) -> list[int]:
    """Sorted codes of those names that have one; what has none may have one by the next question."""
    found = {name: code for name in names if (code := known.get(name)) is not None}
    missing = [name for name in names if name not in found]
    if missing:
        stored = read(storable(missing))
        if len(known) > MOST_REMEMBERED:
            known.clear()
        known.update(stored)
        found |= stored
    return sorted(set(found.values()))


def _places(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1)


def _named(rows: Iterable[Row[tuple[int, str, str]]]) -> dict[int, Named]:
    return {code: (identifier, label) for code, identifier, label in rows}


def _batches(codes: list[int], size: int = 10_000) -> Iterable[list[int]]:
    return (codes[i : i + size] for i in range(0, len(codes), size))
