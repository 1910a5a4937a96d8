"""Matches the lexicon in a text: which words and phrases judge, and which change what is judged."""

from feedback.analysis.form import Form
from feedback.analysis.grammar import Grammar
from feedback.analysis.lexicon import (
    GAP,
    GAP_WORDS,
    NEGATORS,
    OPINION,
    Following,
    Match,
    Phrase,
    match_phrase,
    may_hold,
)
from feedback.analysis.scores import DATED, scored

_CLOSED = frozenset({"ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART", "NUM", "PUNCT"})
_SHADING = frozenset({"intensifier", "diminisher", "excess", "more", "less"})
_FOUND_BY = 3


def matched(
    forms: list[Form],
    keys: list[frozenset[str]],
    tags: list[str],
    sentences: list[tuple[int, int]],
    grammar: Grammar,
) -> tuple[list[Match], list[Match], list[bool]]:
    """The judging and the modifying matches of a text, and of each token whether a judging phrase covers it."""
    opinions: list[Match] = []
    modifiers: list[Match] = []
    covered = [False] * len(forms)
    particles = grammar.infinitive_markers
    for start, stop in sentences:
        hidden = start
        modified = {"": start}
        for n in range(start, stop):
            form = forms[n]
            if not form.speaks:
                continue
            goes_on = n + 1 < stop and (GAP in form.seconds or not form.seconds.isdisjoint(keys[n + 1]))
            for _, words, kind, entries in _phrases(form.phrases, keys, n, stop) if goes_on else ():
                # Two or three words that follow each other were found by just these words.
                whole = len(words) <= _FOUND_BY and GAP not in words
                end = n + len(words) if whole else match_phrase(words, keys, n, stop)
                if not end:
                    continue
                if kind == OPINION:
                    if n >= hidden and may_hold(entries, keys, (start, n, end, stop)):
                        opinions.append(Match(n, end, kind, entries))
                        covered[n:end] = [True] * (end - n)
                        hidden = end
                elif end > modified.get(kind, start):
                    modifiers.append(Match(n, end, kind, entries))
                    modified[kind] = end
            if (
                form.opinions
                and n >= hidden
                and (tags[n] not in _CLOSED or any(entry.pos in "*I" for entry in form.opinions))
            ):
                opinions.append(Match(n, n + 1, OPINION, form.opinions))
            elif tags[n] == "NUM" and "/" in form.low and n >= hidden and (n == start or tags[n - 1] not in DATED):
                opinions += [Match(n, n + 1, OPINION, score)] if (score := scored(form.low)) else []
            modifies = form.modifiers and not (form.low in particles and _leads_infinitive(grammar, forms, tags, n))
            for entry in form.modifiers if modifies else ():
                # "our needs" is no wish, though "need" asks for something as a verb.
                if n >= modified.get(entry.kind, start) and not (entry.kind == "wish" and tags[n] == "NOUN"):
                    modifiers.append(Match(n, n + 1, entry.kind, (entry,)))
                    modified[entry.kind] = n + 1
    return opinions, _kept(modifiers, covered), covered


def _phrases(known: tuple[Following, ...], keys: list[frozenset[str]], at: int, stop: int) -> list[Phrase]:
    """Of the `known` phrases, which begin at `at`, those that the next words may go on, the longest first."""
    found: list[Phrase] = []
    for _, following in known:
        for key in keys[at + 1]:
            if key in following:
                ends, goes_on = following[key]
                found += ends
                for word in keys[at + 2] if goes_on and at + 2 < stop else ():
                    if word in goes_on:
                        found += goes_on[word]
        if GAP in following:
            ends, goes_on = following[GAP]
            found += ends
            for word in frozenset().union(*keys[at + 1 : min(stop, at + GAP_WORDS + 2)]):
                if word in goes_on:
                    found += goes_on[word]
    if len(found) > 1:
        found.sort()
    return found


def _leads_infinitive(grammar: Grammar, forms: list[Form], tags: list[str], n: int) -> bool:
    """Whether a particle that can mean "too" does not: "die App zu nutzen", "ich gebe zu, dass", but "zu trocken"."""
    if n + 1 >= len(forms):
        return True
    after = forms[n + 1]
    if any(entry.pos in "AR" for entry in after.opinions):
        return False
    return tags[n + 1] not in {"ADJ", "ADV", "VERB"} or after.low.endswith(grammar.infinitive_ending)


def _kept(modifiers: list[Match], covered: list[bool]) -> list[Match]:
    """The modifiers without those that are only part of a phrase that judges or modifies."""
    kept = [m for m in modifiers if not _inside(m, covered)] if True in covered else modifiers
    long = [m for m in kept if m.end - m.start > 1]
    if long:
        # "ni un solo" negates; the "solo" in it plays nothing down.
        spans = {n: m for m in sorted(long, key=lambda m: m.end - m.start) for n in range(m.start, m.end)}
        kept = [m for m in kept if m.start not in spans or m.end - m.start >= spans[m.start].end - spans[m.start].start]
    return kept


def _inside(match: Match, covered: list[bool]) -> bool:
    """Whether a modifier is part of a judging phrase that already says what the whole means."""
    return (
        (match.kind in NEGATORS or match.kind in _SHADING or match.kind in {"lack", "wish"})
        and covered[match.start]
        and covered[match.end - 1]
    )
