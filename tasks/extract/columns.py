"""Resolves the columns a feed speaks of to positions in a file, or says everything that does not fit."""

from dataclasses import dataclass
from difflib import get_close_matches

from config.definitions import DefinitionError, Problem
from config.feed import Column, Feed
from tasks.extract.dialect import DELIMITERS


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a feed's columns stand in one file. Positions count from 0; `new` are those no one has spoken of."""

    header: list[str]
    position: dict[Column, int]
    new: list[str]

    @property
    def width(self) -> int:
        """How many cells a row must have."""
        return len(self.header)

    def first(self, columns: list[Column]) -> int:
        """The position of the first of alternative columns that the file has."""
        return next(self.position[column] for column in columns if column in self.position)

    def all(self, columns: list[Column]) -> list[int]:
        """The positions of several columns."""
        return [self.position[column] for column in columns]

    def name(self, position: int) -> str:
        """What to call a column in a message."""
        return self.header[position] or f"column {position + 1}"


def resolve_columns(feed: Feed, header: list[str]) -> Layout:
    """The feed's columns in a file with that header. Raises `DefinitionError` naming every column it lacks."""
    position: dict[Column, int] = {}
    problems = []
    for column in feed.used_columns():
        found = _find(column, header)
        if len(found) == 1:
            position[column] = found[0]
        elif found:
            problems.append(Problem("columns", f"{column!r} names {len(found)} columns; give its position instead"))
    problems += _missing(feed, header, position)
    new = _new_columns(feed, header, set(position.values()))
    if new and feed.on_new_column == "freeze":
        message = f"new: {', '.join(map(repr, new))}. Use them, list them here, or set on_new_column to ignore"
        problems.append(Problem("known_columns", message))
    if problems:
        raise DefinitionError(f"feed {feed.name}", list(dict.fromkeys(problems)))
    return Layout(header, position, new)


def _missing(feed: Feed, header: list[str], position: dict[Column, int]) -> list[Problem]:
    """What the file lacks, each column once with the places that need it, and at the end what the file has."""
    folded = {name.casefold(): name for name in header}
    needed_by: dict[str, list[str]] = {}
    for path, choice in _choices(feed):
        if not any(column in position for column in choice):
            near = [folded[name] for each in choice for name in get_close_matches(str(each).casefold(), folded, n=1)]
            wanted = " or ".join(map(repr, choice)) + (f"; is it {near[0]!r}?" if near else "")
            needed_by.setdefault(wanted, []).append(path)
    if not needed_by:
        return []
    has = f"its columns are {', '.join(map(repr, header))}"
    if len(header) == 1 and any(delimiter in header[0] for delimiter in DELIMITERS):
        has = f"it has a single column, {header[0]!r}; look at source.delimiter"
    missing = [Problem(", ".join(paths), f"the file has no column {wanted}") for wanted, paths in needed_by.items()]
    return [*missing, Problem("the file", has)]


def _find(column: Column, header: list[str]) -> list[int]:
    if isinstance(column, int):
        return [column - 1] if 1 <= column <= len(header) else []
    return [position for position, name in enumerate(header) if name == column]


def _new_columns(feed: Feed, header: list[str], used: set[int]) -> list[str]:
    known = set(feed.known_columns) | {column for column in feed.used_columns() if isinstance(column, str)}
    return [name for position, name in enumerate(header) if position not in used and name and name not in known]


def _choices(feed: Feed) -> list[tuple[str, list[Column]]]:
    """Each place of the feed that needs a column, with the alternatives it accepts."""
    found: list[tuple[str, list[Column]]] = []
    if feed.external_id.column:
        found.append(("external_id.column", feed.external_id.column))
    found += [("external_id.hash_of", [column]) for column in feed.external_id.hash_of or []]
    found += [("content.columns", [column]) for column in feed.content.columns]
    found += [(f"{name}.column", each.column) for name, each in (("lang", feed.lang), ("type", feed.type)) if each]
    for code, field in feed.metadata.items():
        if field.column:
            found.append((f"metadata.{code}.column", field.column))
        found += [(f"metadata.{code}.columns", [column]) for column in field.columns or ()]
    return found
