"""Tells how a noun phrase is tied to the one before: joined by a preposition, a genitive, a list, or telling which."""

from typing import TYPE_CHECKING

from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS, VERBS

if TYPE_CHECKING:
    from feedback.analysis.terms import Node

_FARTHEST = 7
_OPENING = frozenset({"PUNCT", "CCONJ", "SCONJ"})
_AMOUNTS = frozenset({"more", "less", "excess", "intensifier", "diminisher", "lack"})


def measure(reading: Reading, found: list["Node"]) -> None:
    """Take for no preposition what only tells how much there is: "plus de pistes", "beaucoup de bruit"."""
    ends = {m.end - 1 for m in reading.modifiers if m.end - m.start > 1 and m.kind in _AMOUNTS}
    for node in found if ends else ():
        if node.inner and (node.begin - 1 in ends or (node.peer >= 0 and not found[node.peer].inner)):
            node.inner = False


def tells_which(reading: Reading, top: "Node", node: "Node") -> bool:
    """Whether a node tells which one is meant before it: "the staff at the desk were", not "paid at the desk"."""
    if top.stop or top.end > top.last or not node.inner or node.parent >= 0 or node.last - top.first > _FARTHEST:
        return False
    tags = reading.tags
    k = node.begin - 1
    while k > top.end and tags[k] in {"DET", "PRON", "NUM"}:
        k -= 1
    if k != top.end or tags[k] != "ADP":
        return False
    k = top.begin - 1
    while k >= 0 and tags[k] in {"DET", "PRON", "NUM", "ADJ"}:
        k -= 1
    opens = k < 0 or tags[k] in _OPENING
    return opens and (node.end == len(tags) or tags[node.end] in {"AUX", "VERB", "PUNCT"})


def tells_who(reading: Reading, top: "Node", node: "Node") -> bool:
    """Whether a stop-term becomes a term by what follows it: "la señora de la cocina", not "mi hijo de 6 años"."""
    tags, n = reading.tags, top.first - 1
    opens = n >= 0 and tags[n] == "DET" and (not n or tags[n - 1] in _OPENING)
    return opens and not top.idle and tags[node.begin - 1] != "NUM"


def attach(reading: Reading, node: "Node", found: list["Node"], first_node: int, start: int) -> None:
    """Find what leads a node: a preposition that joins it to the node before, or a conjunction that lists them."""
    tags = reading.tags
    n = node.begin - 1
    while n >= start and tags[n] in {"DET", "NUM", "PRON"} and n >= node.begin - 3:
        n -= 1
    if n > start and tags[n] == "ADV" and tags[n - 1] == "CCONJ" and not reading.forms[n].modifiers:
        # "Il dolce e anche il caffè", "the food and also the wine".
        n -= 1
    before = found[-1] if len(found) > first_node else None
    if before is not None and reading.language.grammar.genitives and _belongs(reading, before, node, start):
        node.inner, node.parent = True, len(found) - 1 if before.parent < 0 else before.parent
        return
    contracted = before is not None and _contracted(reading, before, node.begin - 1)
    n = node.begin - 1 if contracted else n
    if n < start:
        return
    if (tags[n] == "ADP" and not _ends_place(reading, n)) or contracted:
        node.inner = True
        linkers, loose = reading.language.grammar.linkers, reading.language.grammar.loose_linkers
        low = reading.forms[n].low
        # "chips with curry" is a dish; "explained the mortgage with patience" praises whoever explained.
        kind = n == node.begin - 1 and not reading.forms[node.head].opinions
        if before is not None and before.end == n and (low in linkers or (low in loose and kind)):
            node.parent = len(found) - 1 if before.parent < 0 else before.parent
        elif before is not None and before.inner and _listed_again(reading, before, n):
            node.peer = len(found) - 1
    elif (
        before is not None
        and reading.forms[n].low not in reading.language.contrasts
        and not _new_subject(reading, node, n, start)
        and (tags[n] == "CCONJ" or reading.surface[n] in {",", "/", "&", "+", "、"})
        and before.end >= n - 1
        and before.end <= n
    ):
        node.peer = len(found) - 1
        node.inner = before.inner and tags[n] == "CCONJ"


def _ends_place(reading: Reading, n: int) -> bool:
    """Whether a postposition ends what stands before it and leads nothing: "城市路况下油耗高", not "孩子上网课"."""
    language = reading.language
    placed = reading.forms[n].low in language.grammar.postpositions and n > 0
    return placed and reading.tags[n - 1] in NOUNS and reading.forms[n - 1].low not in language.stopterms


def _contracted(reading: Reading, before: "Node", n: int) -> bool:
    """Whether token `n`, taken for an article, is the preposition with one in it: "la qualité des plats"."""
    grammar, language = reading.language.grammar, reading.language
    joins = before.end == n and reading.forms[n].low in grammar.contractions & grammar.linkers
    # "Ils rendent accessibles au public des œuvres rares."
    joins = joins and not (before.begin and reading.tags[before.begin - 1] == "ADP")
    joins = joins and reading.forms[before.head].low not in language.stopterms
    return joins and not _placed(reading, before)


def _placed(reading: Reading, before: "Node") -> bool:
    """Whether a node tells where a verb has its object: "il y a dans la chambre des cafards".

    A verb that judges, or that a preposition leads, has none there: "déçu par la qualité", "à dire sur la qualité".
    """
    tags, k = reading.tags, before.begin - 1
    while k > 0 and tags[k] in {"DET", "PRON", "NUM", "ADJ"}:
        k -= 1
    if k < 1 or tags[k] != "ADP" or reading.forms[k].low in reading.language.grammar.linkers:
        return False
    k -= 1
    while k > 0 and tags[k] == "ADV":
        k -= 1
    return tags[k] == "VERB" and not reading.forms[k].opinions and not (k and tags[k - 1] == "ADP")


def _belongs(reading: Reading, before: "Node", node: "Node", start: int) -> bool:
    """Whether a genitive ties a node to the one before: "die Züge der Bahn", "der Zustand des Bades"."""
    k, tags = node.begin - 1, reading.tags
    if k != before.end or tags[k] != "DET" or reading.forms[k].low not in reading.language.grammar.genitives:
        return False
    # "@DB_Info der Zug", "#Bahn der Zug": whoever is spoken to, or what it is filed under, owns nothing.
    if reading.surface[before.begin][0] in "@#":
        return False
    # "Laut Durchsage der Zug": "der" is no genitive where a subject may follow.
    n = before.begin - 1
    while n >= start and tags[n] in {"DET", "PRON", "NUM", "ADJ"}:
        n -= 1
    if reading.forms[k].low.endswith("s") or n < start or tags[n] in {"PUNCT", "CCONJ", "SCONJ"}:
        return True
    return tags[n] == "ADP" and (n < before.begin - 1 or reading.forms[n].low in reading.language.grammar.contractions)


def _listed_again(reading: Reading, before: "Node", n: int) -> bool:
    """Whether the preposition at token `n` repeats the one of the list so far: "of the room and of the bed"."""
    if before.end != n - 1 or not (reading.tags[n - 1] == "CCONJ" or reading.surface[n - 1] in {",", "/", "&", "+"}):
        return False
    if reading.forms[n - 1].low in reading.language.contrasts:
        return False
    k = before.begin - 1
    while k > 0 and reading.tags[k] in {"DET", "NUM", "PRON"}:
        k -= 1
    both = {reading.forms[k].low, reading.forms[n].low}
    return len(both) == 1 or both <= reading.language.grammar.linkers


def _new_subject(reading: Reading, node: "Node", conjunction: int, start: int) -> bool:
    """Whether the node after a conjunction opens a clause of its own: "came late and the driver was rude"."""
    tags = reading.tags
    if node.end >= len(tags) or tags[node.end] not in VERBS:
        return False
    return any(tag in VERBS for tag in tags[start:conjunction])
