"""Tells nouns that are only part of a turn of phrase ("cost a fortune", "out of order") from what is spoken of."""

from typing import TYPE_CHECKING

from feedback.analysis.lexicon import GAP, OPINION, Match
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS

if TYPE_CHECKING:
    from feedback.analysis.terms import Node


def extents(reading: Reading) -> dict[int, tuple[int, int, bool]]:
    """For each token inside a phrase of the lexicon the phrase's extent, and whether it judges."""
    return {
        n: (match.start, match.end, match.kind == OPINION)
        for match in (*reading.opinions, *reading.modifiers)
        if match.end - match.start > 1
        for n in range(match.start, match.end)
        # What fills the gap of a phrase is no part of it: "wouldn't change my bank for the world".
        if GAP not in match.entries[0].words or not reading.forms[n].keys.isdisjoint(match.entries[0].words)
    }


def parted(reading: Reading) -> dict[int, bool]:
    """The tokens that no noun phrase reaches across, and whether what begins there is only said of a noun before."""
    if reading.parted is None:
        # "Per il resto zona tranquilla", "las calles dan asco", but "customer service sucks".
        lacking = reading.language.grammar.adjective_after
        reading.parted = {
            match.end: False
            for match in reading.modifiers
            # "Falta humor" speaks of no lack humour.
            if match.end - match.start > 1 or (lacking and match.kind == "lack")
        }
        for match in reading.opinions:
            if match.end - match.start > 1 and _predicates(reading, match):
                reading.parted[match.start] = True
                if GAP in match.entries[0].words:
                    # "Na een week gaat de rits stuk."
                    reading.parted[match.end - 1] = True
    return reading.parted


def _predicates(reading: Reading, match: Match) -> bool:
    """Whether a judging phrase is what is said of a noun before it: "las calles dan asco", "colegas nota dez"."""
    grammar, uses = reading.language.grammar, {entry.pos for entry in match.entries}
    if grammar.attributive or uses.isdisjoint("VP"):
        return False
    if "V" in uses or grammar.adjective_after or reading.language.lexical(reading.forms[match.start].low) != "NOUN":
        return True
    # "Dat de rits stuk ging."
    behind = match.start and reading.tags[match.start - 1] == "NOUN"
    return bool(behind) and grammar.verb_last and reading.tags[match.end - 1] == "VERB"


def in_idiom(reading: Reading, node: "Node", phrases: dict[int, tuple[int, int, bool]]) -> bool:
    """Whether a noun is only part of a judging phrase ("cost a fortune") or of a connecting one ("en cambio")."""
    start, end, judges = phrases.get(node.head, (0, 0, False))
    if end and not judges:
        return True
    # "great job" judges the job; "from pillar to post" judges neither pillar nor post.
    within = node.begin <= start and end <= node.end
    if not end or within:
        return False
    if node.first > start and _after_preposition(reading, node, start):
        return True
    if reading.forms[node.head].noun or node.spans:
        return False
    # "Train cancelled" is said of the train.
    subject = start == node.first and node.last < end and reading.tags[node.last] in VERBS
    return start <= node.first and node.last <= end and not subject


def _after_preposition(reading: Reading, node: "Node", start: int) -> bool:
    """Whether a noun belongs to a judging phrase by a preposition in it: "out of order", "sin cortes", "in ritardo"."""
    n = node.first - 1
    while n > start and reading.tags[n] in {"DET", "ADJ", "NUM"}:
        n -= 1
    low, grammar = reading.forms[n].low, reading.language.grammar
    # "pas d'ascenseur" speaks of the lift, "hors de prix" of no price.
    leads = n == start or reading.tags[n - 1] == "ADP"
    if reading.tags[n] != "ADP" or (low in grammar.linkers and not leads):
        return False
    # "since the update" speaks of the update all the same.
    definite = "DET" in reading.tags[n : node.first] or low in grammar.contractions
    return not (reading.forms[node.head].noun and definite)
