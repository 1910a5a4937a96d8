"""A segment as it is read: views of its packed columns, and the way back to loose ones for compaction."""

from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

from feedback.store.segments.bitmaps import words_of
from feedback.store.segments.encode import DAY_MS
from feedback.store.segments.layout import Array, ColumnMeta, Outline, unpack
from feedback.store.segments.loose import Codes, Column, Decimals, Instants, Integers, Loose, Mask, Pairs, Texts
from feedback.store.segments.periods import first_and_last


@dataclass(frozen=True, slots=True)
class Packed:
    """Unsigned integers: stored = value * 10**scale - base + 1, 0 where missing; low to high are those present."""

    stored: Array
    base: int
    scale: int
    low: int
    high: int
    missing: int
    codes: bool = False


@dataclass(frozen=True, slots=True)
class Floating:
    """Doubles, NaN where missing, with their exact decimals: value = digits * 10**-scale."""

    floats: Array
    digits: Array
    scales: Array
    missing: int


@dataclass(frozen=True, slots=True)
class Times:
    """Days and milliseconds within the day (None where all are midnight); `first` and `last` in epoch ms.

    `month` and `week` are counted from the epoch as the days are; None in a segment that is not from the cache.
    """

    day: Packed
    ms: Array | None
    first: int | None
    last: int | None
    month: Packed | None = None
    week: Packed | None = None

    @property
    def missing(self) -> int:
        """How many documents lack the value."""
        return self.day.missing

    def epoch(self) -> npt.NDArray[np.int64]:
        """Epoch milliseconds; what stands where the value is missing means nothing."""
        found = (self.day.stored.astype(np.int64) + (self.day.base - 1)) * DAY_MS
        return found if self.ms is None else found + self.ms


@dataclass(frozen=True, slots=True)
class Strings:
    """UTF-8 strings back to back; `order` lists the rows by value."""

    ends: Array
    data: Array
    order: Array
    missing: int

    def at(self, row: int) -> bytes:
        """The string of one row."""
        return self.data[int(self.ends[row - 1]) if row else 0 : int(self.ends[row])].tobytes()

    def values(self) -> list[bytes]:
        """All strings, by row."""
        data, ends = self.data.tobytes(), self.ends.tolist()
        return [data[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)] if ends else []

    def present(self) -> Mask:
        """Which rows have a value."""
        return np.diff(self.ends, prepend=np.uint32(0)) > 0

    def find(self, value: bytes) -> list[int]:
        """The rows that hold exactly this string, by bisection."""
        low, high = 0, len(self.order)
        while low < high:
            middle = (low + high) // 2
            if self.at(int(self.order[middle])) < value:
                low = middle + 1
            else:
                high = middle
        end = low
        while end < len(self.order) and self.at(int(self.order[end])) == value:
            end += 1
        return [int(row) for row in self.order[low:end]]


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents of each key = code * 3 + opinion: rows[starts[i]:starts[i + 1]] hold keys[i].

    `bits[j]`: the same documents of keys[heavy[j]] as a bitmap, the first in the highest bit of each byte.
    `opinions[o]`: a bitmap of the documents of all keys of an opinion; None in a segment that is not from the cache.
    """

    rows: Array
    keys: Array
    starts: Array
    twice: Array
    twice_rows: Array
    any: Array | None
    missing: int
    heavy: Array
    bits: Array
    opinions: Array | None

    def counts(self) -> npt.NDArray[np.int64]:
        """How many documents hold each key."""
        starts = self.starts.astype(np.int64)
        counted: npt.NDArray[np.int64] = starts[1:] - starts[:-1]
        return counted

    def positions(self, wanted: Array) -> npt.NDArray[np.int64]:
        """The place of each wanted key among `keys`, -1 where the segment has no such key."""
        if not len(self.keys):
            return np.full(len(wanted), -1, np.int64)
        found = np.searchsorted(self.keys, wanted.astype(self.keys.dtype))
        found[found == len(self.keys)] = 0
        return np.where(self.keys[found] == wanted, found, -1)


_NO_KEYS: Array = np.zeros(0, np.uint32)
_NO_WORDS: Array = np.zeros(0, np.uint64)

View = Packed | Floating | Times | Strings | Postings


class Segment:
    """A decoded segment. Columns are views of one buffer, which may be a memory map."""

    def __init__(self, identifier: int, buffer: bytes | memoryview) -> None:
        """`buffer` is what `layout.pack` made."""
        self.id = identifier
        header, self._arrays = unpack(buffer)
        self.documents = header.documents
        self.metas = {name: self._completed(name, meta) for name, meta in header.columns.items()}
        self.bytes = len(buffer)
        self.columns: dict[str, View] = {name: self._view(name, meta) for name, meta in header.columns.items()}

    @property
    def outline(self) -> Outline:
        """What it says of itself, which outlives its arrays."""
        return Outline(self.documents, self.metas)

    def _completed(self, name: str, meta: ColumnMeta) -> ColumnMeta:
        """The meta with the highest key, which earlier versions did not write."""
        keys = self._arrays.get(f"{name}/keys")
        if meta.kind != "postings" or meta.high or keys is None or not len(keys):
            return meta
        return msgspec.structs.replace(meta, high=int(keys[-1]))

    def _view(self, name: str, meta: ColumnMeta) -> View:
        arrays = self._arrays
        match meta.kind:
            case "packed" | "codes":
                return self._packed(name, meta)
            case "instants":
                month, week = (self._periods(name, meta, unit) for unit in ("month", "week"))
                return Times(self._packed(name, meta), arrays.get(f"{name}/ms"), meta.first, meta.last, month, week)
            case "floating":
                return Floating(arrays[name], arrays[f"{name}/digits"], arrays[f"{name}/scales"], meta.missing)
            case "texts":
                ends, data, order = (arrays[f"{name}/{part}"] for part in ("ends", "bytes", "order"))
                return Strings(ends, data, order, meta.missing)
            case "postings":
                return self._postings(name, meta)
        message = f"column {name} is of unknown kind {meta.kind}"
        raise ValueError(message)

    def _packed(self, name: str, meta: ColumnMeta) -> Packed:
        stored = self._arrays[name]
        return Packed(stored, meta.base, meta.scale, meta.low, meta.high, meta.missing, meta.kind == "codes")

    def _periods(self, name: str, meta: ColumnMeta, unit: str) -> Packed | None:
        stored = self._arrays.get(f"{name}/{unit}")
        if stored is None:
            return None
        first, last = first_and_last(meta, unit)
        return Packed(stored, first, 0, 1, last - first + 1, meta.missing)

    def _postings(self, name: str, meta: ColumnMeta) -> Postings:
        arrays = self._arrays
        keys, starts, twice, held = (arrays[f"{name}/{p}"] for p in ("keys", "starts", "twice", "twice_rows"))
        heavy = arrays.get(f"{name}/heavy", _NO_KEYS)
        bits = arrays.get(f"{name}/bits", _NO_WORDS).reshape(len(heavy), words_of(self.documents))
        opinions = arrays.get(f"{name}/opinions")
        return Postings(
            arrays[name],
            keys,
            starts,
            twice,
            held,
            arrays.get(f"{name}/any"),
            meta.missing,
            heavy,
            bits,
            None if opinions is None else opinions.reshape(-1, words_of(self.documents)),
        )

    def packed(self, name: str) -> Packed | None:
        """A packed column, None where no document of the segment has the field."""
        found = self.columns.get(name)
        return found if isinstance(found, Packed) else None

    def times(self, name: str) -> Times | None:
        """A Datetime column, None where no document has it."""
        found = self.columns.get(name)
        return found if isinstance(found, Times) else None

    def strings(self, name: str) -> Strings | None:
        """A column of strings, None where no document has it."""
        found = self.columns.get(name)
        return found if isinstance(found, Strings) else None

    def postings(self, name: str) -> Postings | None:
        """The postings of TERMS or TOPICS, None where no document has any."""
        found = self.columns.get(name)
        return found if isinstance(found, Postings) else None

    @cached_property
    def external_bytes(self) -> int:
        """The bytes that external ids take."""
        return sum(a.nbytes for name, a in self._arrays.items() if name.startswith("externalId/"))

    def loose(self, alive: Mask | None) -> Loose:
        """The columns unpacked, without the rows that are not alive."""
        kept = np.ones(self.documents, np.bool_) if alive is None else alive
        return Loose(int(kept.sum()), {name: _loosen(view, kept) for name, view in self.columns.items()})


def _loosen(view: View, kept: Mask) -> Column:
    match view:
        case Packed(codes=True):
            return Codes(view.stored[kept].astype(np.int64))
        case Packed():
            present = view.stored > 0
            values = np.where(present, view.stored.astype(np.int64) + (view.base - 1), 0)
            return Integers(values[kept], present[kept], view.scale)
        case Times():
            return Instants(view.epoch()[kept], (view.day.stored > 0)[kept])
        case Floating():
            floats = view.floats[kept]
            return Decimals(floats, view.digits[kept], view.scales[kept], ~np.isnan(floats))
        case Strings():
            texts = view.values()
            return Texts([texts[row] for row in np.flatnonzero(kept).tolist()])
        case Postings():
            renumbered = np.cumsum(kept) - 1
            rows = view.rows.astype(np.int64)
            keys = np.repeat(view.keys.astype(np.int64), view.counts())
            living = kept[rows]
            return Pairs(renumbered[rows[living]], keys[living])
