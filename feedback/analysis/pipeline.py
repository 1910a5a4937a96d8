"""Text in, terms with opinions, topics and classifier values out: the one way through the analysis."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Protocol

from msgspec import structs

from feedback.analysis import classifiers, fitted, language, markup, opinions, reading, silent, terms, topics
from feedback.analysis.clauses import clauses
from feedback.analysis.enriching import enrich
from feedback.analysis.evidence import Evidence
from feedback.analysis.hits import hits
from feedback.analysis.own import OwnWords, own_words
from feedback.analysis.profile import Profile, Value
from feedback.analysis.reading import Reading
from feedback.domain.document import Analysis, Enrichment, Offset, Opinion

ANALYSIS_VERSION = "1.7"
"""Changes whenever the same text and profile may give another result."""

_TOGETHER, _CHARACTERS = 256, 40_000
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
    proofs = evidence_on(readings)
    decided = iter(opinions.decide([row for proof in proofs for row in proof.rows]))
    enriched = [
        enrich(read, proof, list(islice(decided, len(proof.rows))))
        for read, proof in zip(readings, proofs, strict=True)
    ]
    analyses = [_analysis(*parts, profile) for parts in zip(items, readings, enriched, strict=True)]
    return [found if page is None else _as_sent(found, page) for found, page in zip(analyses, pages, strict=True)]


def _as_sent(found: Analysis, page: markup.Plain) -> Analysis:
    """An analysis of a text without its markup, with the offsets that its terms have in the text that was sent."""
    enrichments = tuple(
        structs.replace(e, offset=Offset(page.begins[e.offset.begin], page.ends[e.offset.end - 1]))
        for e in found.enrichments
    )
    return structs.replace(found, enrichments=enrichments)


def evidence_on(readings: list[Reading]) -> list[Evidence]:
    """The evidence on all that texts speak of."""
    nodes = terms.nodes_of(readings)
    parts = list(map(clauses, readings, nodes))
    judged = list(map(hits, readings, parts))
    found = list(map(Evidence, readings, nodes, parts, judged))
    for proof in found:
        proof.weigh()
    silent.hear([proof for proof in found if proof.reading.language.known])
    return found


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


@lru_cache(maxsize=1)
def _detector() -> object:
    import eld  # noqa: PLC0415 - takes a second to load, and few texts come without a language

    return eld.LanguageDetector()


def detect(text: str) -> str:
    """The language a text is written in; "en" where that cannot be told."""
    found = _detector().detect(text[:2000]).language  # type: ignore[attr-defined]
    return str(found or "en")
