"""The numbers the opinion model reads about a noun phrase: judgements by relation and sign, sources, and flags."""

from collections.abc import Sequence

from feedback.analysis import headings
from feedback.analysis.clauses import Clause
from feedback.analysis.hits import EXCESS, LACK, LEARNT, NEGATED, WISH, Hit
from feedback.analysis.reading import Reading
from feedback.analysis.standing import ASIDE, LEADING, acted_on, led, nearest
from feedback.analysis.terms import Node

RELATIONS = (
    "own",
    "modifier",
    "predicate",
    "object",
    "subject",
    "near",
    "linked",
    "clause",
    "back",
    "sentence",
    "before",
    "document",
    "against",
    "clause_aside",
    "sentence_aside",
    "document_aside",
    "nearest",
    "sentiment",
    "sentiment_aside",
)
OWN, MODIFIER, PREDICATE, OBJECT, SUBJECT, NEAR, LINKED, CLAUSE, BACK, SENTENCE, BEFORE, DOCUMENT, AGAINST = range(13)
_LEANING = (CLAUSE, SENTENCE, DOCUMENT)
*_LEANING_ASIDE, NEAREST, SENTIMENT, SENTIMENT_ASIDE = range(13, len(RELATIONS))
_AROUND = (SENTENCE, DOCUMENT, *_LEANING_ASIDE)
SOURCES = {LEARNT: "learnt", LACK: "lack", EXCESS: "excess", WISH: "wish", NEGATED: "negated"}
SIGNS = len(RELATIONS) * 2
FLAGS = (
    "bias",
    "silent",
    "quiet",
    "inner",
    "inner_said",
    "question",
    "condition",
    "topic",
    "name",
    "only",
    "last_positive",
    "last_negative",
    "exclaimed",
    "first_person",
    "answered",
    "follows",
    "acted_on",
    "inner_linked",
    "inner_plain",
    "name_inner",
    "leading",
    "quiet_topic",
    "counted",
    "possessed",
    "bare",
    "closes",
    "remote",
    "aspect",
)
FEATURES = (
    [f"{name}+" for name in RELATIONS]
    + [f"{name}-" for name in RELATIONS]
    + [f"{name}{sign}" for name in SOURCES.values() for sign in "+-"]
    + list(FLAGS)
)
SOURCE_AT = {source: SIGNS + 2 * n for n, source in enumerate(SOURCES)}
_FIRST_FLAG = SIGNS + 2 * len(SOURCES)
_PLACE = {name: n for n, name in enumerate(FLAGS)}
FLAG_AT = {name: _FIRST_FLAG + n for name, n in _PLACE.items()}
_LIMIT = 2.5
_OPPOSED = frozenset({"contrast", "concession"})

Row = list[float]


def spread(
    rows: list[Row], clauses: list[Clause], hits: list[Hit], tied: list[set[int]], places: Sequence[int]
) -> None:
    """Let judgements lean, weakly, on the other nodes of their clause, sentence and text.

    `tied` holds, for each hit, the nodes it already judges, and `places` how each node stands.
    """
    by_clause = [[0.0, 0.0] for _ in clauses]
    own = [[0.0, 0.0] for _ in rows]
    for hit, nodes in zip(hits, tied, strict=True):
        sign, value = int(hit.value < 0), abs(hit.value)
        by_clause[hit.clause][sign] += value
        for n in nodes:
            own[n][sign] += value
    by_sentence: dict[int, list[float]] = {}
    total = [0.0, 0.0]
    for clause, sums in zip(clauses, by_clause, strict=True):
        # What a concession grants or a condition supposes weighs less than what is said outright.
        weight = 0.5 if clause.opener in {"concession", "condition"} else 1.0
        sentence = by_sentence.setdefault(clause.sentence, [0.0, 0.0])
        for sign in (0, 1):
            sentence[sign] += weight * sums[sign]
            total[sign] += weight * sums[sign]
    # One word of praise in a text of ten sentences says little of what the other nine speak of.
    others = max(1, len(by_sentence) - 1)
    signs = [(sign, shift) for sign, shift in ((0, 0), (1, len(RELATIONS))) if total[sign]]
    for clause, sums in zip(clauses, by_clause, strict=True):
        sentence, inside = by_sentence[clause.sentence], range(clause.first_node, clause.last_node)
        for sign, shift in signs if inside else ():
            here, around = sums[sign], sentence[sign]
            beside, elsewhere = around - here, (total[sign] - around) / others
            for n in inside:
                row, rest = rows[n], here - own[n][sign]
                clause_at, sentence_at, document_at = _LEANING_ASIDE if places[n] == ASIDE else _LEANING
                if rest > 0:
                    row[clause_at + shift] = rest
                if beside > 0:
                    row[sentence_at + shift] = beside
                if elsewhere > 0:
                    row[document_at + shift] = elsewhere
    _oppose(rows, clauses, by_clause, places)


def _oppose(rows: list[Row], clauses: list[Clause], by_clause: list[list[float]], places: Sequence[int]) -> None:
    """Let a clause without a judgement stand against the one it is contrasted with: "slow, but there are seats"."""
    for first, second, before, after in zip(clauses, clauses[1:], by_clause, by_clause[1:], strict=False):
        if second.opener not in _OPPOSED or any(before) == any(after):
            continue
        silent, sums = (second, before) if any(before) else (first, after)
        # "The food is great, but the tables ...": praise before "but" says nothing good of what follows.
        barred = sums[0] > 0 and not sums[1] and (silent is second or first.sentence != second.sentence)
        for n in range(silent.first_node, silent.last_node):
            row = rows[n]
            if places[n] != ASIDE:
                row[AGAINST], row[AGAINST + len(RELATIONS)] = sums[1], sums[0]
            if barred:
                for relation in _AROUND:
                    row[relation] = 0.0


def head(rows: list[Row], reading: Reading, nodes: list[Node], said: Sequence[bool]) -> None:
    """Let the headings of a text judge what is listed under them, unless something else is said of it."""
    listed = headings.over(reading.headings, [node.head for node in nodes])
    for row, heading, spoken_of in zip(rows, listed, said, strict=True):
        if heading is not None and not spoken_of:
            row[:SIGNS] = [0.0] * SIGNS
            row[PREDICATE + (0 if heading.sign > 0 else len(RELATIONS))] = 1.0


def approach(
    rows: list[Row], nodes: list[Node], clauses: list[Clause], hits: list[Hit], sentences: Sequence[tuple[int, int]]
) -> None:
    """Note for each node what the judgement nearest to it in its sentence says."""
    starts = [hit.start for hit in hits]
    for clause in clauses if hits else ():
        for n in range(clause.first_node, clause.last_node):
            value = nearest(nodes[n], sentences[clause.sentence], hits, starts)
            if value > 0 and rows[n][AGAINST + len(RELATIONS)] and not rows[n][AGAINST]:
                # What stands against praise is not praised for being near it.
                continue
            rows[n][NEAREST + (0 if value > 0 else len(RELATIONS))] = abs(value)


def flag(
    rows: list[Row],
    reading: Reading,
    nodes: list[Node],
    clauses: list[Clause],
    hits: list[Hit],
    *,
    places: Sequence[int],
) -> None:
    """Bound the sums and set the flags: what kind of clause a node stands in, and what kind of node it is."""
    text = _of_text(nodes, hits)
    judged = {clauses[hit.clause].sentence for hit in hits}
    for clause in clauses:
        if clause.first_node == clause.last_node:
            continue
        shared = text.copy()
        if hits and clause.sentence not in judged:
            shared[_PLACE["remote"]] = 1.0
        _of_clause(reading, clause, shared)
        direct = list(map(_said, rows[clause.first_node : clause.last_node]))
        answered = True in direct
        for n, said in enumerate(direct, clause.first_node):
            node, row = nodes[n], rows[n]
            # Most of a row is nought.
            if max(filter(None, row[:SIGNS]), default=0.0) > _LIMIT:
                row[:SIGNS] = [min(value, _LIMIT) if value else 0.0 for value in row[:SIGNS]]
            row[_FIRST_FLAG:] = shared
            topic = len(node.spans) > 2 or reading.forms[node.head].topical
            own = ["topic"] if topic else []
            # A tagger that does not know "quarto" takes it for a name, but names have capitals.
            if reading.tags[node.head] == "PROPN" and not reading.surface[node.head].islower():
                own += ["name"] if said or not node.inner else ["name", "name_inner"]
            if node.inner:
                own.append("inner_said" if said else "inner")
            if not said:
                own += _of_quiet(reading, node, clause.begin)
                own += ["quiet_topic"] if topic else ["inner_plain"] if node.inner else []
                own += ["answered"] if answered else []
                own += ["follows"] if n > clause.first_node else []
                own += ["leading"] if places[n] == LEADING else []
            elif node.inner and node.peer < 0 and not _said_itself(row):
                own.append("inner_linked")
            for name in own:
                row[FLAG_AT[name]] = 1.0
            row[FLAG_AT["aspect"]] = 0.0 if said else reading.forms[node.head].aspect


def _of_text(nodes: Sequence[Node], hits: Sequence[Hit]) -> Row:
    """The flags that all nodes of a text have."""
    found = [0.0] * len(FLAGS)
    found[_PLACE["bias"]] = 1.0
    if not hits:
        found[_PLACE["silent"]] = 1.0
    elif hits[-1].value:
        found[_PLACE["last_positive" if hits[-1].value > 0 else "last_negative"]] = 1.0
    if len(nodes) == 1:
        found[_PLACE["only"]] = 1.0
    return found


def _of_clause(reading: Reading, clause: Clause, found: Row) -> None:
    """Set the flags that all nodes of a clause have."""
    final = reading.surface[reading.sentences[clause.sentence][1] - 1]
    if clause.question:
        found[_PLACE["question"]] = 1.0
    if clause.condition:
        found[_PLACE["condition"]] = 1.0
    if "!" in final or "！" in final:
        found[_PLACE["exclaimed"]] = 1.0
    if not reading.language.grammar.first_person.isdisjoint(reading.words[clause.begin : clause.end]):
        found[_PLACE["first_person"]] = 1.0


def _said_itself(row: Row) -> bool:
    """Whether something is said of a node that does not only reach it through one it belongs to."""
    return any(row[:LINKED]) or any(row[len(RELATIONS) : len(RELATIONS) + LINKED])


def _of_quiet(reading: Reading, node: Node, start: int) -> list[str]:
    """What the words around a node of which nothing is said tell of it."""
    found = ["quiet"]
    found += ["acted_on"] if acted_on(reading, node, start) else []
    before = led(reading, node, start)
    found += [before] if before else []
    found += ["closes"] if node.end >= len(reading.tags) or reading.tags[node.end] == "PUNCT" else []
    return found


def _said(row: Row) -> bool:
    """Whether something is said of a node itself or of what it is joined to."""
    return any(row[: LINKED + 1]) or any(row[len(RELATIONS) : len(RELATIONS) + LINKED + 1])
