"""Text in, terms with opinions, topics and classifier values out: the one way through the analysis."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from msgspec import structs

from feedback.analysis import classifiers, deeds, fitted, language, markup, opinions, reading, terms, topics, words
from feedback.analysis.clauses import clauses
from feedback.analysis.evidence import Evidence
from feedback.analysis.hits import Hit, hits
from feedback.analysis.own import OwnWords, own_words
from feedback.analysis.profile import Profile, Value
from feedback.analysis.reading import Reading
from feedback.analysis.terms import Node
from feedback.domain.document import Analysis, Enrichment, Offset, Opinion

ANALYSIS_VERSION = "1.4"
"""Changes whenever the same text and profile may give another result."""

_PLAIN, _CLEAR = 0.5, 1.0
_TOGETHER, _CHARACTERS = 64, 40_000
"""How many texts, and of which length, are analysed step by step; more would only take more memory."""

Item = tuple[str, str | None, Mapping[str, Value] | None]
"""A text, its language and the metadata that classifiers ask for."""


class Analyser(Protocol):
    """What a company may put in place of this engine."""

    def analyse(self, text: str, lang: str | None, profile: Profile) -> Analysis:
        """All that is found in `text`; must not raise on any text."""
        ...


def analyse(
    text: str, profile: Profile, lang: str | None = None, metadata: Mapping[str, Value] | None = None
) -> Analysis:
    """Analyse one text in its language: `lang`, else the profile's, else the one that is detected."""
    return _together([(text, lang, metadata)], profile)[0]


def analyse_many(items: Iterable[Item], profile: Profile) -> list[Analysis]:
    """Analyse texts in order, which costs less than one by one and gives the same: what a process of a pool runs."""
    found: list[Analysis] = []
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item[0])
        if len(batch) == _TOGETHER or size > _CHARACTERS:
            found += _together(batch, profile)
            batch, size = [], 0
    return found + _together(batch, profile)


def _together(items: Sequence[Item], profile: Profile) -> list[Analysis]:
    """Analyse a few texts step by step: what a step needs stays at hand from one text to the next."""
    pages = [markup.plain(text) for text, _, _ in items]
    shown = [item if page is None else (page.text, *item[1:]) for item, page in zip(items, pages, strict=True)]
    readings = _read(shown, profile)
    enriched = [_enrich(read, proof) for read, proof in zip(readings, _proofs(readings), strict=True)]
    analyses = [_analysis(*parts, profile) for parts in zip(items, readings, enriched, strict=True)]
    return [found if page is None else _as_sent(found, page) for found, page in zip(analyses, pages, strict=True)]


def _as_sent(found: Analysis, page: markup.Plain) -> Analysis:
    """An analysis of a text without its markup, with the offsets that its terms have in the text that was sent."""
    enrichments = tuple(
        structs.replace(e, offset=Offset(page.begins[e.offset.begin], page.ends[e.offset.end - 1]))
        for e in found.enrichments
    )
    return structs.replace(found, enrichments=enrichments)


def _proofs(readings: list[Reading]) -> list[Evidence]:
    """The evidence on all that texts speak of."""
    nodes = list(map(terms.nodes, readings))
    parts = list(map(clauses, readings, nodes))
    judged = list(map(hits, readings, parts))
    return list(map(Evidence, readings, nodes, parts, judged))


def _read(items: Sequence[Item], profile: Profile) -> list[Reading]:
    spoken = [language.load(language.code_of(lang or profile.lang or detect(text))) for text, lang, _ in items]
    found: dict[int, Reading] = {}
    for one in dict.fromkeys(spoken):
        own = own_words(one, profile.opinions) if profile.opinions else OwnWords()
        numbers = [n for n, other in enumerate(spoken) if other is one]
        readings = reading.read_many([items[n][0] for n in numbers], one)
        found |= zip(numbers, map(own.apply, readings), strict=True)
    return [found[n] for n in range(len(items))]


def _analysis(
    item: Item, read: Reading, enriched: tuple[tuple[Enrichment, ...], dict[int, Opinion]], profile: Profile
) -> Analysis:
    text, _, metadata = item
    found, opinion_at = enriched
    named = language.code_of(profile.lang) if profile.lang else read.language.code
    known = topics.taxonomy(read.language, profile.industry, profile.topics, named)
    raised = topics.find(read, known, opinion_at)
    values = (
        classifiers.classify(read, profile.classifiers, found, raised, metadata or {}) if profile.classifiers else {}
    )
    if profile.fitted:
        values |= fitted.classify(text, profile.fitted)
    return Analysis(found, raised, values, ANALYSIS_VERSION)


def warm(langs: Sequence[str]) -> None:
    """Load languages ahead of their first text."""
    for code in langs:
        analyse(".", Profile(lang=code))


def _enrich(read: Reading, proof: Evidence) -> tuple[tuple[Enrichment, ...], dict[int, Opinion]]:
    nodes = proof.nodes
    verdicts = opinions.decide(proof.rows) if read.language.known else [Opinion.NEUTRAL] * len(nodes)
    found: dict[tuple[int, int], Enrichment] = {}
    opinion_at: dict[int, Opinion] = {}
    for n, (node, verdict) in enumerate(zip(nodes, verdicts, strict=True)):
        if node.soft and not proof.said(n):
            continue
        if not proof.only_judges(n):
            _put_node(read, found, node, verdict)
        opinion_at.update(dict.fromkeys(range(node.begin, node.end), verdict))
    if not any(e.opinion != Opinion.NEUTRAL.value for e in found.values()):
        # "What a nightmare!" names nothing, but must not be lost where nothing else is judged.
        for node, verdict in zip(nodes, verdicts, strict=True):
            if node.polar and verdict is not Opinion.NEUTRAL:
                _put_node(read, found, node, verdict)
    # Stop-terms may carry an opinion, but they tell nobody: "It broke after two days."
    judged_already = bool(found) and any(opinion is not Opinion.NEUTRAL for opinion in opinion_at.values())
    for hit in proof.orphans:
        opinion = Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE
        opinion_at.update({n: opinion for n in range(hit.start, hit.end) if n not in opinion_at})
        # "Very expensive." must not be lost; where a noun carries the opinion, the adjective adds nothing.
        n = hit.start if hit.end - hit.start == 1 else deeds.verb_of(read, hit.start, hit.end)
        alone = hit.pos in {"ADJ", "VERB"} and n >= 0 and (hit.end - hit.start > 1 or read.tags[n] == hit.pos)
        enough = abs(hit.value) >= (_PLAIN if hit.pos == "ADJ" else _CLEAR)
        if alone and enough and not judged_already and _property(read, proof, hit) < 0:
            _put(read, found, (n, n + 1, n), opinion, noun=False)
        elif hit.pos == "NOUN" and not found and (n := words.verdict(read, hit.start, hit.end)) >= 0:
            # "Eine Frechheit!" is all that is said.
            _put(read, found, (n, n + 1, n), opinion, noun=True)
    for hit in proof.hits:
        # "The room was clean" praises the cleanliness that "clean" speaks of as it praises the room.
        for n in range(hit.start, hit.end):
            opinion_at.setdefault(n, Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE)
    _put_deeds(read, proof, found)
    ordered = sorted(found.values(), key=lambda e: (e.offset.begin, -e.offset.end))
    return tuple(ordered), opinion_at


def _put_node(read: Reading, found: dict[tuple[int, int], Enrichment], node: Node, verdict: Opinion) -> None:
    for start, stop in node.spans:
        head = node.head if start <= node.head < stop else stop - 1
        _put(read, found, (start, stop, head), verdict, noun=True)


def _put_deeds(read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment]) -> None:
    """Make a term of the verb that a clause speaks of where it names nothing: "fits well", "easy to use"."""
    values: dict[int, float] = {}
    for hit in proof.unnamed:
        values[hit.clause] = values.get(hit.clause, 0.0) + hit.value
        start, stop = deeds.eased(read, hit.start, proof.clauses[hit.clause].end) if hit.pos == "ADJ" else (0, 0)
        if stop:
            span = start, stop, start
            _put(read, found, span, Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE, noun=False)
    for number, value in values.items() if read.language.grammar.subjectless_ending else ():
        n = deeds.subjectless(read, proof.clauses[number].begin, proof.clauses[number].end)
        if value and n >= 0:
            _put(read, found, (n, n + 1, n), Opinion.POSITIVE if value > 0 else Opinion.NEGATIVE, noun=False)
    _put_properties(read, proof, found)


def _put_properties(read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment]) -> None:
    """Make terms of the verbs that name a property something is said of: "it fits well", "the print fades quickly"."""
    values: dict[int, float] = {}
    for hit in proof.hits if read.language.grammar.property_verbs else ():
        n = _property(read, proof, hit)
        if n >= 0:
            values[n] = values.get(n, 0.0) + hit.value
    nouns = {n for node in proof.nodes for n in range(node.first, node.last)} if values else frozenset()
    for n, value in values.items():
        if value and n not in nouns:
            _put(read, found, (n, n + 1, n), Opinion.POSITIVE if value > 0 else Opinion.NEGATIVE, noun=False)


def _property(read: Reading, proof: Evidence, hit: Hit) -> int:
    return deeds.property_verb(read, hit.start, hit.end, proof.clauses[hit.clause].begin)


def _put(
    read: Reading,
    found: dict[tuple[int, int], Enrichment],
    span: tuple[int, int, int],
    opinion: Opinion,
    *,
    noun: bool,
) -> None:
    start, stop, head = span
    begin, end = read.begin[start], read.end[stop - 1]
    if (begin, end) not in found:
        found[begin, end] = Enrichment(
            terms.label(read, start, stop, head, noun=noun), opinion.value, Offset(begin, end)
        )


@lru_cache(maxsize=1)
def _detector() -> object:
    import eld  # noqa: PLC0415 - takes a second to load, and few texts come without a language

    return eld.LanguageDetector()


def detect(text: str) -> str:
    """The language a text is written in; "en" where that cannot be told."""
    found = _detector().detect(text[:2000]).language  # type: ignore[attr-defined]
    return str(found or "en")
