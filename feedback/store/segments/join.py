"""Puts the columns of several segments one below the other, whatever each of them happens to lack."""

from collections.abc import Callable, Sequence

import numpy as np

from feedback.store.segments.loose import (
    Codes,
    Column,
    Decimals,
    Instants,
    Integers,
    Loose,
    Pairs,
    Texts,
    as_decimals,
    scaled,
)


def join(parts: Sequence[Loose]) -> Loose:
    """One segment's columns out of several, rows in the given order."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    return Loose(sum(p.documents for p in parts), {name: _join(name, parts) for name in names})


def _join(name: str, parts: Sequence[Loose]) -> Column:
    example = next(p.columns[name] for p in parts if name in p.columns)
    filled = [p.columns[name] if name in p.columns else _FILLERS[type(example)](p.documents) for p in parts]
    match example:
        case Codes():
            return Codes(np.concatenate([c.codes for c in filled if isinstance(c, Codes)]))
        case Instants():
            times = [c for c in filled if isinstance(c, Instants)]
            return Instants(np.concatenate([c.ms for c in times]), np.concatenate([c.present for c in times]))
        case Texts():
            return Texts([value for c in filled if isinstance(c, Texts) for value in c.values])
        case Pairs():
            offsets = np.cumsum([0, *(p.documents for p in parts)]).tolist()
            pairs = [(c, o) for c, o in zip(filled, offsets, strict=False) if isinstance(c, Pairs)]
            return Pairs(np.concatenate([c.rows + o for c, o in pairs]), np.concatenate([c.keys for c, _ in pairs]))
        case _:
            return _join_numbers([c for c in filled if isinstance(c, Integers | Decimals)])


def _join_numbers(columns: Sequence[Integers | Decimals]) -> Integers | Decimals:
    present = np.concatenate([c.present for c in columns])
    floats = [c.floats if isinstance(c, Decimals) else c.integers / 10.0**c.scale for c in columns]
    found = scaled(np.concatenate(floats)[present])
    if found is not None:
        integers = np.zeros(len(present), np.int64)
        integers[present], scale = found
        return Integers(integers, present, scale)
    loose = [c if isinstance(c, Decimals) else as_decimals(c) for c in columns]
    digits, scales = np.concatenate([c.digits for c in loose]), np.concatenate([c.scales for c in loose])
    return Decimals(np.concatenate([c.floats for c in loose]), digits, scales, present)


def _nowhere(documents: int) -> Integers:
    return Integers(np.zeros(documents, np.int64), np.zeros(documents, np.bool_))


_FILLERS: dict[type[Column], Callable[[int], Column]] = {
    Codes: lambda n: Codes(np.zeros(n, np.int64)),
    Instants: lambda n: Instants(np.zeros(n, np.int64), np.zeros(n, np.bool_)),
    Texts: lambda n: Texts([b""] * n),
    Pairs: lambda _: Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64)),
    Integers: _nowhere,
    Decimals: _nowhere,
}
