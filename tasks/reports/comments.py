"""The comments behind a figure, from the warehouse, with the words that speak of it marked."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, literal_column, select

from tasks.reports.markup import shown
from tasks.reports.periods import Period
from tasks.warehouse import Warehouse
from tasks.warehouse.tables import document_topics, documents, enrichments
from tasks.warehouse.types import stamp

CANDIDATES = 60
READABLE = range(30, 320)
LONGEST = 600
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a comment: plain, or a term with its opinion, `focus` where it is the term asked about."""

    text: str
    opinion: str = ""
    focus: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment cut into pieces, with its date and score as text."""

    pieces: list[Piece]
    day: str
    score: str
    lang: str


class Comments:
    """Reads the comments of one dataset in one period; what was quoted gives way to what was not."""

    def __init__(
        self,
        warehouse: Warehouse,
        dataset_id: str,
        period: Period,
        date_field: str,
        score_field: str,
        *,
        quoted: Counter[str] | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._dataset_id = dataset_id
        self._period = period
        self._date = date_field
        self._score = score_field.removeprefix("metadata.")
        self._quoted = Counter[str]() if quoted is None else quoted

    def within(self, period: Period) -> "Comments":
        """The same of another period."""
        return Comments(self._warehouse, self._dataset_id, period, self._date, self._score, quoted=self._quoted)

    def about(self, field: str, key: str, opinion: str | None, limit: int) -> list[Comment]:
        """Comments that speak of a term or topic (with an opinion): not quoted yet, plain and easily read first."""
        if not limit:
            return []
        with self._warehouse.read() as connection:
            rows = list(connection.execute(self._query(field, key, opinion)))
            # What many write in the same words is quoted once.
            rows = list({row.content: row for row in reversed(rows)}.values())[::-1]
            marks = select(enrichments).where(
                enrichments.c.dataset_id == self._dataset_id,
                enrichments.c.external_id.in_([row.external_id for row in rows]),
            )
            found: dict[str, list[Any]] = {row.external_id: [] for row in rows}
            for mark in connection.execute(marks.order_by(enrichments.c.position)):
                found[mark.external_id].append(mark)
        rows.sort(
            key=lambda row: (
                self._quoted[row.content],
                _torn(found[row.external_id], key),
                len(row.content) not in READABLE,
            )
        )
        chosen = rows[:limit]
        self._quoted.update(row.content for row in chosen)
        return [self._comment(row, found[row.external_id], key, opinion) for row in chosen]

    def _query(self, field: str, key: str, opinion: str | None) -> Any:
        when = self._moment()
        spoken, spoken_key = (
            (document_topics, document_topics.c.code) if field == "TOPICS" else (enrichments, enrichments.c.term)
        )
        behind = and_(spoken.c.dataset_id == documents.c.dataset_id, spoken.c.external_id == documents.c.external_id)
        wanted = [documents.c.dataset_id == self._dataset_id, spoken_key == key]
        if opinion:
            wanted.append(spoken.c.opinion == opinion.upper())
        columns = (
            documents.c.external_id,
            documents.c.content,
            documents.c.lang,
            documents.c.metadata,
            documents.c.created_at,
        )
        query = select(*columns).join(spoken, behind).where(*wanted, when.between(*self._bounds())).distinct()
        return query.add_columns(when.label("moment")).order_by(when.desc(), documents.c.external_id).limit(CANDIDATES)

    def _moment(self) -> Any:
        """The report's date as an expression; in JSON it is text that sorts as the moments do."""
        if not self._date.startswith("metadata."):
            return documents.c.created_at if self._date == "createdAt" else documents.c.updated_at
        code = self._date.removeprefix("metadata.")
        table = f"{self._warehouse.schema}.documents" if self._warehouse.schema else "documents"
        return literal_column(
            {
                "sqlite": f"json_extract({table}.metadata, '$.\"{code}\"')",
                "duckdb": f"json_extract_string({table}.metadata, '$.\"{code}\"')",
            }.get(self._warehouse.dialect, f"({table}.metadata ->> '{code}')")
        )

    def _bounds(self) -> tuple[Any, Any]:
        start, end = self._period.start, self._period.end
        return (stamp(start), stamp(end)) if self._date.startswith("metadata.") else (start, end)

    def _comment(self, row: Any, marks: list[Any], term: str, opinion: str | None) -> Comment:
        wanted = opinion.upper() if opinion else None
        spans = [
            (m.offset_begin, m.offset_end, m.opinion, m.term == term and wanted in {None, m.opinion}) for m in marks
        ]
        score = row.metadata.get(self._score)
        moment = row.moment if isinstance(row.moment, str) else stamp(row.moment)
        return Comment(list(pieces(row.content, spans)), moment[:10], "" if score is None else str(score), row.lang)


def _torn(marks: list[Any], term: str) -> bool:
    """Whether a comment both praises and blames a term: an example of neither."""
    return {"POSITIVE", "NEGATIVE"} <= {mark.opinion for mark in marks if mark.term == term}


def pieces(content: str, spans: list[tuple[int, int, str, bool]]) -> Iterator[Piece]:
    """The content cut at its terms, without markup. Where terms overlap, the one in focus goes first, then longer."""
    taken: list[tuple[int, int, str, bool]] = []
    for span in sorted(spans, key=lambda each: (not each[3], each[0] - each[1], each[0])):
        if all(span[1] <= begin or end <= span[0] for begin, end, _, _ in taken):
            taken.append(span)
    start, stop = _window(content, taken)
    seen = shown(content)
    at = start
    if start:
        yield Piece(ELLIPSIS)
    for begin, end, opinion, focus in sorted(taken):
        if begin < at or end > stop:
            continue
        yield from _piece(seen[at:begin])
        yield from _piece(seen[begin:end], opinion.lower(), focus=focus)
        at = end
    yield from _piece(seen[at:stop])
    if stop < len(content):
        yield Piece(ELLIPSIS)


def _piece(seen: list[str], opinion: str = "", *, focus: bool = False) -> Iterator[Piece]:
    if text := "".join(seen):
        yield Piece(text, opinion, focus)


def _window(content: str, spans: list[tuple[int, int, str, bool]]) -> tuple[int, int]:
    """The part of a long comment that is shown: around the word asked about, from a word's start to a word's end."""
    if len(content) <= LONGEST:
        return 0, len(content)
    focus = next((begin for begin, _, _, asked in sorted(spans) if asked), 0)
    start = max(0, min(focus - LONGEST // 3, len(content) - LONGEST))
    stop = min(len(content), start + LONGEST)
    if start and (space := content.find(" ", start, start + 40)) >= 0:
        start = space + 1
    if stop < len(content) and (space := content.rfind(" ", stop - 40, stop)) >= 0:
        stop = space
    return start, stop
