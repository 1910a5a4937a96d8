"""Finds what a text talks about: noun phrases, their heads and the phrases inside them."""

import zlib
from dataclasses import dataclass, field

from feedback.analysis.deeds import deed
from feedback.analysis.idioms import extents, in_idiom, parted
from feedback.analysis.lexicon import stands
from feedback.analysis.reading import Reading
from feedback.analysis.words import is_adjective, is_handle, is_kind, is_noun, is_relational, noun_lemma, noun_tag

_LONGEST = 5
_COUNTED = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "SYM", "ADP"})
_OPENING = frozenset({"PUNCT", "CCONJ", "SCONJ"})
_AFTER_SUBJECT = frozenset({"AUX", "VERB", "ADV", "ADJ"})
_AMOUNTS = frozenset({"more", "less", "excess", "intensifier", "diminisher", "lack"})
_SHADES = frozenset({"intensifier", "diminisher"})
VERDICT = 3.0
"""The strength from which on a noun only judges."""


@dataclass(slots=True)
class Node:
    """A noun phrase, in token numbers: `begin`..`end` with its adjectives, `first`..`last` its nouns, `head` its noun.

    `spans` are the terms it gives, as token ranges; `inner` says that a preposition leads it, `parent` is the node it
    is joined to by one ("durée de la batterie"), and `peer` the one it is listed with ("food and service"). A `stop`
    node is no term (an `idle` one is only part of an idiom), a `polar` one is itself the judgement ("a nightmare") and
    a term only where nothing else is judged; a `soft` one ("place") is a term only where something is said of it, and
    a `firm` one of these only where an adjective says it.
    """

    begin: int
    end: int
    first: int
    last: int
    head: int
    inner: bool = False
    parent: int = -1
    peer: int = -1
    stop: bool = False
    idle: bool = False
    soft: bool = False
    firm: bool = False
    polar: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)


def nodes(reading: Reading) -> list[Node]:
    """The noun phrases of a text in order."""
    found: list[Node] = []
    for start, stop in reading.sentences:
        _sentence_nodes(reading, start, stop, found)
    _measured(reading, found)
    _phrases(reading, found)
    phrases = extents(reading)
    for node in found:
        _spans(reading, node, phrases)
    for node in found if reading.headings else ():
        if any(title.start <= node.head < title.end for title in reading.headings):
            node.stop = True
            node.spans.clear()
    for n, node in enumerate(found):
        if node.parent >= 0:
            top = found[node.parent]
            if (
                not (top.stop and not _tells_who(reading, top, node))
                and not node.idle
                and node.last - top.first <= _LONGEST + 2
            ):
                top.spans.append((top.first, node.last))
            if node.parent < n - 1 and not (found[n - 1].stop or node.idle):
                # "Ce genre de pièces de théâtre" speaks of "pièces de théâtre" as well.
                found[n - 1].spans.append((found[n - 1].first, node.last))
        if n and not node.stop and _tells_which(reading, found[n - 1], node):
            found[n - 1].spans.append((found[n - 1].first, node.last))
        if n and node.stop:
            node.spans.clear()
        elif n and reading.language.grammar.attributive:
            _attributed(reading, node, found[n - 1])
    return found


def _tells_who(reading: Reading, top: Node, node: Node) -> bool:
    """Whether a stop-term becomes a term by what follows it: "la señora de la cocina", not "mi hijo de 6 años"."""
    tags, n = reading.tags, top.first - 1
    opens = n >= 0 and tags[n] == "DET" and (not n or tags[n - 1] in _OPENING)
    return opens and not top.idle and tags[node.begin - 1] != "NUM"


def _measured(reading: Reading, found: list[Node]) -> None:
    """Take for no preposition what only tells how much there is: "plus de pistes", "beaucoup de bruit"."""
    ends = {m.end - 1 for m in reading.modifiers if m.end - m.start > 1 and m.kind in _AMOUNTS}
    for node in found if ends else ():
        if node.inner and (node.begin - 1 in ends or (node.peer >= 0 and not found[node.peer].inner)):
            node.inner = False


def _tells_which(reading: Reading, top: Node, node: Node) -> bool:
    """Whether a node tells which one is meant before it: "the staff at the desk were", not "paid at the desk"."""
    if top.stop or top.end > top.last or not node.inner or node.parent >= 0 or node.last - top.first > _LONGEST + 2:
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


def _attributed(reading: Reading, node: Node, before: Node) -> None:
    """Add the term a noun is with the one it belongs to: "屏幕的色彩"."""
    k = node.begin - 1
    if k > before.end and reading.tags[k] == "DET":
        k -= 1
    joined = k == before.end and reading.surface[k] == reading.language.grammar.attributive
    if joined and not before.stop and node.last - before.first <= _LONGEST + 2:
        node.spans.append((before.first, node.last))


def _sentence_nodes(reading: Reading, start: int, stop: int, found: list[Node]) -> None:
    n, first_node = start, len(found)
    doing, done, endings = -1, start, reading.language.grammar.deed_endings
    while n < stop:
        if is_noun(reading, n) and not (
            len(found) > first_node and found[-1].last == n and parted(reading).get(n, False)
        ):
            node = _noun_phrase(reading, n, stop, found[-1].end if len(found) > first_node else start)
            _attach(reading, node, found, first_node, start)
            if n < done:
                # "Opening the account took weeks" is about both.
                node.inner, node.parent = True, doing
            found.append(node)
            n = max(node.last, n + 1)
            continue
        verb = deed(reading, n, start, stop) if endings and n >= done and reading.tags[n] == "VERB" else 0
        if verb:
            doing, done = len(found), verb
            found.append(Node(n, n + 1, n, n + 1, n, spans=[(n, verb)]))
        n += 1


def _noun_phrase(reading: Reading, n: int, stop: int, floor: int) -> Node:
    """The noun phrase whose nouns begin at token `n`, with its adjectives from token `floor` on."""
    tags = reading.tags
    last = n + 1
    while last < stop and last - n < _LONGEST and _joins(reading, n, last, stop):
        last += 1
    while not is_noun(reading, last - 1):
        last -= 1
    begin = n
    while (
        begin > floor
        and begin not in parted(reading)
        and (
            is_adjective(reading, begin - 1)
            or (tags[begin - 1] == "ADV" and begin < n and is_adjective(reading, begin))
        )
        and not is_noun(reading, begin - 1)
    ):
        begin -= 1
    after = reading.language.grammar.adjective_after
    end = _adjectives_after(reading, last, stop) if after else last
    return Node(begin, end, n, last, n if after else last - 1)


def _joins(reading: Reading, first: int, n: int, stop: int) -> bool:
    """Whether token `n` continues the nouns that began at `first`."""
    if reading.begin[n] - reading.end[n - 1] > 1 or reading.language.tagger is None:
        # Where nobody knows what is a noun, every word stands for itself.
        return False
    if is_noun(reading, n):
        if n in parted(reading):
            return False
        if reading.language.grammar.attributive and _opens_anew(reading, n):
            return False
        # In Romance languages a second noun follows only as an apposition ("service client"), a name or a foreign word.
        return reading.kind[n] not in "hu" and reading.kind[n - 1] not in "hu"
    possessive = reading.tags[n] == "PART" and reading.surface[n].lower().endswith("s") and n > first
    hyphen = reading.surface[n] in {"-", "&", "'"} and reading.end[n - 1] == reading.begin[n]
    return (possessive or hyphen) and n + 1 < stop and is_noun(reading, n + 1)


def _opens_anew(reading: Reading, n: int) -> bool:
    """Whether a noun is no part of a name but what the sentence goes on with: "薯条孩子全吃了"."""
    low, language = reading.forms[n].low, reading.language
    # "上菜时间很长"
    goes_on = low in language.grammar.terms_if_judged or low in language.grammar.courses
    return low in language.stopterms and not goes_on


def _adjectives_after(reading: Reading, n: int, stop: int) -> int:
    """The end of the adjectives that follow a noun: "connexion très lente et instable"."""
    end = n
    while n < stop:
        if is_adjective(reading, n) and not is_noun(reading, n):
            end = n = n + 1
        elif n == end and (shade := _shade(reading, n)) < stop and shade > n and is_adjective(reading, shade):
            n = shade
        elif (
            reading.tags[n] in {"ADV", "CCONJ"}
            and n + 1 < stop
            and reading.tags[n + 1] in {"ADJ", "ADV"}
            and n - end < 2
        ):
            n += 1
        else:
            break
    return end


def _shade(reading: Reading, n: int) -> int:
    """Where a phrase that only shades what follows ends: "un peu", "um pouco"; `n` if none begins here."""
    if not reading.forms[n].phrases:
        return n
    return next((m.end for m in reading.modifiers if m.start == n and m.kind in _SHADES and m.end > n + 1), n)


def _attach(reading: Reading, node: Node, found: list[Node], first_node: int, start: int) -> None:
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
    if n < start:
        return
    if tags[n] == "ADP":
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


def _belongs(reading: Reading, before: Node, node: Node, start: int) -> bool:
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


def _listed_again(reading: Reading, before: Node, n: int) -> bool:
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


def _new_subject(reading: Reading, node: Node, conjunction: int, start: int) -> bool:
    """Whether the node after a conjunction opens a clause of its own: "came late and the driver was rude"."""
    tags = reading.tags
    if node.end >= len(tags) or tags[node.end] not in {"AUX", "VERB"}:
        return False
    return any(tag in {"AUX", "VERB"} for tag in tags[start:conjunction])


def _phrases(reading: Reading, found: list[Node]) -> None:
    """Give the taxonomy's own phrases ("petit déjeuner") to the nodes they overlap."""
    begun = [n for n, form in enumerate(reading.forms) if form.begins]
    if not begun:
        return
    known = reading.language.phrase_terms
    keys = [form.keys for form in reading.forms]
    by_token = {n: node for node in found for n in range(node.first, node.last)}
    for n in begun:
        after = keys[n + 1] if n + 1 < len(keys) else frozenset()
        for key in keys[n]:
            phrases = known.get(key, {})
            fitting = [words for second in after for words in phrases.get(second, ()) if stands(words, keys, n)]
            if not fitting:
                continue
            words = min(fitting, key=lambda words: (-len(words), words))
            span = (n, n + len(words))
            node = next((by_token[i] for i in range(*span) if i in by_token), None)
            judges = is_adjective(reading, n) and bool(reading.forms[n].opinions)
            if node is not None and not judges and node.begin - 1 <= n and span not in node.spans:
                node.spans.append(span)


def _spans(reading: Reading, node: Node, phrases: dict[int, tuple[int, int, bool]]) -> None:
    """The terms of a node: all its nouns with the adjectives that tell a kind, its nouns, its head."""
    stops = reading.language.stopterms
    if node.last - node.first > 1 and node.first and reading.tags[node.first - 1] == "NUM":
        unit = reading.forms[node.first].low
        # "40 Minuten Verspätung" is a delay.
        node.first += unit in stops or noun_lemma(reading, node.first) in stops
    first, last = node.first, node.last
    lemma = noun_lemma(reading, node.head)
    word = reading.forms[node.head].low
    alone = last - first == 1
    node.stop = (word in stops or lemma in stops) and (alone or _all_stop(reading, node))
    soft = reading.language.grammar.terms_if_judged
    known = lemma in soft or lemma in reading.language.contested or word in reading.language.nouns
    handle = is_handle(reading, node.head)
    node.soft, node.firm = (node.stop and alone and known) or handle, lemma not in soft and not handle
    if node.soft:
        # "Two hours" measure; they are not what is spoken of.
        node.stop = node.firm and node.first > 0 and reading.tags[node.first - 1] == "NUM"
    if not node.stop and in_idiom(reading, node, phrases):
        node.stop = node.idle = True
    if node.stop:
        return
    node.polar = last - first == 1 and _judges_itself(reading, node.head, phrases)
    spans = _kinds(reading, node)
    if lemma not in stops:
        spans.append((node.head, node.head + 1))
    if reading.language.grammar.attributive and not alone and _opens_topic(reading, node):
        spans.append((first, first + 1))
    if _numbered(reading, node):
        spans.append((first, last + 1))
    if end := _serves(reading, node):
        spans.append((first, end))
    node.spans = list(dict.fromkeys([*node.spans, *spans]))


def _kinds(reading: Reading, node: Node) -> list[tuple[int, int]]:
    """The nouns of a node, with and without the adjectives that tell a kind."""
    first, last = low, high = node.first, node.last
    if reading.language.grammar.adjective_after:
        if high < node.end and reading.tags[high] == "ADJ" and is_relational(reading, high):
            high += 1
    else:
        while (
            low > node.begin and reading.tags[low - 1] == "ADJ" and is_relational(reading, low - 1) and first - low < 2
        ):
            low -= 1
    spans = [(low, high), (first, last)]
    if reading.language.grammar.adjective_after:
        if high == last < node.end and is_kind(reading, high, node.head):
            spans.append((first, high + 1))
    elif low == first > node.begin and is_kind(reading, first - 1, node.head):
        spans.append((first - 1, last))
    return spans


def _opens_topic(reading: Reading, node: Node) -> bool:
    """Whether a statement begins with what it is about and goes on with a part of it: "耳机性价比高"."""
    n = node.first
    opens = node.begin == n and (not n or reading.tags[n - 1] == "PUNCT")
    # "安装师傅" are people, not the fitting, and "飞机餐" is no aeroplane.
    whole = len(reading.surface[n + 1]) > 1
    return opens and whole and reading.forms[n].noun and reading.language.hint(reading.forms[n].low) == "NOUN"


def _serves(reading: Reading, node: Node) -> int:
    """Where a term ends that says what a thing is for: "la máquina de lavar no centrifuga"; 0 if it does not."""
    n, tags, grammar = node.last, reading.tags, reading.language.grammar
    if not grammar.adjective_after or tags[n : n + 2] != ["ADP", "VERB"] or node.inner:
        return 0
    joined = reading.forms[n].low in grammar.linkers | grammar.loose_linkers and not reading.covered[n + 1]
    goes_on = n + 2 < len(tags) and tags[n + 2] in _AFTER_SUBJECT
    return n + 2 if joined and goes_on and reading.lemma(n + 1) == reading.forms[n + 1].low else 0


def _numbered(reading: Reading, node: Node) -> bool:
    """Whether a number behind a noun is part of its name: "IC 2442", "Gate 14", not "the pizza 12 euros"."""
    n, tags = node.last, reading.tags
    if n >= len(tags) or tags[n] != "NUM" or reading.begin[n] - reading.end[n - 1] != 1 or reading.covered[n]:
        return False
    if not (reading.surface[n].isdecimal() and len(reading.surface[n]) <= _LONGEST):
        return False
    if n + 1 < len(tags) and (tags[n + 1] in _COUNTED or is_noun(reading, n + 1)):
        return False
    word = reading.forms[n - 1].low
    return reading.tags[n - 1] == "PROPN" or noun_lemma(reading, n - 1) == word


def _all_stop(reading: Reading, node: Node) -> bool:
    """Whether a node of several nouns names nothing: "Saturday evening", but not a phrase of the taxonomy's."""
    stops = reading.language.stopterms
    return not node.spans and all(
        reading.forms[n].low in stops or noun_lemma(reading, n) in stops for n in range(node.first, node.last)
    )


def _judges_itself(reading: Reading, n: int, phrases: dict[int, tuple[int, int, bool]]) -> bool:
    """Whether a noun no taxonomy knows is itself the judgement: "a nightmare", "our disappointment", "a delay"."""
    form = reading.forms[n]
    return not form.noun and n not in phrases and any(e.weight and e.pos in "N*" for e in form.opinions)


def label(reading: Reading, start: int, stop: int, head: int, *, noun: bool) -> str:
    """The id of a term: its lemmas, the head's part of speech and an index.

    In a noun phrase the head is a noun, however the tagger took it in this one sentence, so that "staff" has one id.
    The index is 1, unless a lemma held a character that labels cannot hold; then it is derived from the lemmas
    themselves, so that two terms whose labels look alike still differ, everywhere and always in the same way.
    """
    lemmas = [
        noun_lemma(reading, n) if noun and (n == head or is_noun(reading, n)) else reading.lemma(n)
        for n in range(start, stop)
        if stop - start == 1 or reading.tags[n] not in {"DET", "PUNCT"}
    ]
    words = [word.replace("/", "-").replace("_", "-").strip() or "-" for word in lemmas]
    index = 1 if words == lemmas else 2 + zlib.crc32("\n".join(lemmas).encode("utf-8", "surrogatepass")) % 999_983
    tag = noun_tag(reading, head) if noun else reading.tags[head]
    if tag == "VERB" and words[0] in reading.language.grammar.property_verbs & reading.language.nouns:
        # "It fits well" and "the fit is good" are one figure.
        tag = "NOUN"
    return f"{'_'.join(words)}__{tag if tag in {'NOUN', 'PROPN', 'ADJ', 'VERB', 'ADV'} else 'NOUN'}__{index}"
