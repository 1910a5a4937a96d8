"""Text in, terms with opinions, topics and classifier values out: the one way through the analysis."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from feedback.analysis import classifiers, evidence, fitted, language, opinions, reading, terms, topics
from feedback.analysis.clauses import clauses
from feedback.analysis.hits import hits
from feedback.analysis.own import OwnWords, own_words
from feedback.analysis.profile import Profile, Value
from feedback.analysis.reading import Reading
from feedback.domain.document import Analysis, Enrichment, Offset, Opinion

ANALYSIS_VERSION = "1.0"
"""Changes whenever the same text and profile may give another result."""

_PLAIN, _CLEAR = 0.5, 1.0


class Analyser(Protocol):
    """What a company may put in place of this engine."""

    def analyse(self, text: str, lang: str | None, profile: Profile) -> Analysis:
        """All that is found in `text`; must not raise on any text."""
        ...


def analyse(
    text: str, profile: Profile, lang: str | None = None, metadata: Mapping[str, Value] | None = None
) -> Analysis:
    """Analyse one text in its language: `lang`, else the profile's, else the one that is detected."""
    spoken = language.load(language.code_of(lang or profile.lang or detect(text)))
    read = reading.read(text, spoken)
    own = own_words(spoken, profile.opinions) if profile.opinions else OwnWords()
    read = own.apply(read)
    found, opinion_at = _enrich(read)
    named = language.code_of(profile.lang) if profile.lang else spoken.code
    raised = topics.find(read, topics.taxonomy(spoken, profile.industry, profile.topics, named), opinion_at)
    values = (
        classifiers.classify(read, profile.classifiers, found, raised, metadata or {}) if profile.classifiers else {}
    )
    if profile.fitted:
        values |= fitted.classify(text, profile.fitted)
    return Analysis(found, raised, values, ANALYSIS_VERSION)


def analyse_many(items: Sequence[tuple[str, str | None]], profile: Profile) -> list[Analysis]:
    """Analyse (text, language or None) pairs in order: what a process of a pool runs."""
    return [analyse(text, profile, lang) for text, lang in items]


def warm(langs: Sequence[str]) -> None:
    """Load languages ahead of their first text."""
    for code in langs:
        analyse(".", Profile(lang=code))


def _enrich(read: Reading) -> tuple[tuple[Enrichment, ...], dict[int, Opinion]]:
    nodes = terms.nodes(read)
    parts = clauses(read, nodes)
    judged = hits(read, parts)
    proof = evidence.Evidence(read, nodes, parts, judged)
    verdicts = opinions.decide(proof.rows) if read.language.known else [Opinion.NEUTRAL] * len(nodes)
    found: dict[tuple[int, int], Enrichment] = {}
    opinion_at: dict[int, Opinion] = {}
    for n, (node, verdict) in enumerate(zip(nodes, verdicts, strict=True)):
        if node.soft and not proof.said(n):
            continue
        for start, stop in node.spans:
            head = node.head if start <= node.head < stop else stop - 1
            _put(read, found, (start, stop, head), verdict, noun=True)
        opinion_at.update(dict.fromkeys(range(node.begin, node.end), verdict))
    judged_already = any(opinion is not Opinion.NEUTRAL for opinion in opinion_at.values())
    for hit in proof.orphans:
        opinion = Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE
        opinion_at.update({n: opinion for n in range(hit.start, hit.end) if n not in opinion_at})
        # "Very expensive." must not be lost; where a noun carries the opinion, the adjective adds nothing.
        alone = hit.end - hit.start == 1 and hit.pos in {"ADJ", "VERB"} and read.tags[hit.start] == hit.pos
        if alone and not judged_already and abs(hit.value) >= (_PLAIN if hit.pos == "ADJ" else _CLEAR):
            _put(read, found, (hit.start, hit.end, hit.start), opinion, noun=False)
    ordered = sorted(found.values(), key=lambda e: (e.offset.begin, -e.offset.end))
    return tuple(ordered), opinion_at


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
