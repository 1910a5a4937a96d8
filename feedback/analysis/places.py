"""Tells by what stands around a word whether its place is that of a noun, whatever the tagger took it for."""

from feedback.analysis.adjectives import is_adjective
from feedback.analysis.form import Form
from feedback.analysis.headings import COLONS
from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS, VERBS

_AFTER_ARTICLE = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X", "ADV", "SYM"})
_BEFORE_VERB = frozenset({"AUX", "PART"})
_BEFORE_SUBJECT = frozenset({"PUNCT", "CCONJ", "DET", "ADJ"})
_LEADS = frozenset({"DET", "ADJ"})
_ENDED: tuple[list[str], ...] = ([], ["PUNCT"], ["CCONJ"], ["SCONJ"], ["ADP"])
_GOES_ON = frozenset({"ADP", "VERB", "PRON", "SCONJ", "CCONJ"})
_AFTER_NOUN = frozenset({"PUNCT", "AUX", "CCONJ", "ADP", "SYM", "VERB"})


def begins(reading: Reading, n: int) -> bool:
    """Whether a word that is no verb begins a statement on what it names: "Panela muito boa", "Chefia que grita"."""
    tags, form = reading.tags, reading.forms[n]
    if tags[n] != "VERB" or (n and reading.kind[n - 1] != "p") or n + 1 >= len(tags):
        return False
    if reading.surface[n + 1] in COLONS and is_listed(reading, n):
        return True
    if tags[n + 1] in _GOES_ON and is_listed(reading, n):
        return reading.language.grammar.adjective_after
    shaded = tags[n + 1] == "ADV" and _grades(reading.forms[n + 1]) and n + 2 < len(tags)
    after = n + 2 if shaded else n + 1
    judged = reading.language.grammar.adjective_after and tags[after] == "ADJ" and reading.forms[after].adjective
    listed = any(entry.pos == "V" for entry in form.opinions)
    return judged and not form.uses and not listed and not reading.language.seen_as(form.low)


def opens(reading: Reading, n: int) -> bool:
    """Whether a word that begins a statement is what it is about: "Letto comodo", "Reso facile"."""
    after, before = reading.tags[n + 1], reading.tags[n]
    if reading.surface[n + 1] in COLONS:
        # What stands before a colon: "Entrega: rápida."
        return True
    if before == "ADJ" and after in VERBS:
        return True
    if before == "VERB" and after in _GOES_ON and is_listed(reading, n):
        # "Reso fatto in due clic", "Monitor com cores lindas".
        return reading.language.grammar.adjective_after
    # "Entrega muy rápida": a degree may stand between them.
    shaded = after == "ADV" and n + 2 < len(reading.tags) and _grades(reading.forms[n + 1])
    judged = reading.language.grammar.adjective_after and reading.forms[n + 2 if shaded else n + 1].adjective
    return judged and before in {"ADJ", "VERB"} and not reading.forms[n].adjective


def _grades(form: Form) -> bool:
    """Whether a word tells the degree of the adjective behind it: "very", "a bit", "too"."""
    return form.shades or any(entry.kind == "excess" for entry in form.modifiers)


def is_listed(reading: Reading, n: int) -> bool:
    """Whether the lexicon lists a word as a noun and as nothing else."""
    opinions = reading.forms[n].opinions
    return bool(opinions) and all(entry.pos == "N" for entry in opinions)


def placed(reading: Reading, n: int) -> bool:
    """Whether a word stands where an article leaves room for nothing but a noun: "the lift was", "le code alla"."""
    tags, grammar = reading.tags, reading.language.grammar
    contracted = n > 0 and tags[n - 1] == "ADP" and reading.forms[n - 1].low in grammar.contractions
    if not contracted and (not n or tags[n - 1] != "DET"):
        return False
    if reading.forms[n].noun and tags[n + 1 : n + 2] == ["ADV"] and not VERBS.isdisjoint(tags[n + 2 : n + 3]):
        # "A diária não inclui café."
        return grammar.adjective_after
    after = n + 2 if n + 2 < len(tags) and tags[n + 1] == "ADJ" and tags[n] != "VERB" else n + 1
    if after >= len(tags) or tags[after] not in _AFTER_ARTICLE:
        return True
    # "El local muy bonito": behind the noun stands what it is like.
    shaded = tags[after] == "ADV" and after + 1 < len(tags) and tags[after + 1] == "ADJ"
    return shaded and reading.language.grammar.adjective_after and reading.forms[n].noun


def described(reading: Reading, n: int) -> bool:
    """Whether an adjective before a word and nothing after it make it a noun: "warm welcome."."""
    tags = reading.tags
    alone = not reading.language.grammar.adjective_after and n > 0 and tags[n - 1] == "ADJ"
    if not alone or n + 1 == len(tags) or tags[n + 1] in {"PUNCT", "CCONJ"}:
        return alone
    # "Heerlijk ontbijt met verse broodjes": nobody has seen it as anything but a noun.
    form = reading.forms[n]
    judged = reading.forms[n - 1].adjective and not any(entry.weight for entry in form.opinions)
    return judged and tags[n + 1] == "ADP" and "VERB" not in reading.language.seen_as(form.low)


def stranded(reading: Reading, n: int) -> bool:
    """Whether a word tagged otherwise stands where only a noun can: "nice fitting,", "the fit is"."""
    form, tags = reading.forms[n], reading.tags
    if form.modifiers or reading.kind[n] != "w":
        return False
    before = tags[n - 1] if n else "PUNCT"
    after = tags[n + 1] if n + 1 < len(tags) else "PUNCT"
    if is_subject(reading, n) or _tells_kind(reading, n):
        return True
    lexical = reading.language.lexical(form.low)
    if before == "PUNCT" and _happens(reading, n) and "NOUN" in lexical:
        return True
    if placed(reading, n) and (lexical == "?" or (tags[n] == "VERB" and not reading.language.grammar.adjective_after)):
        return not form.adjective
    grammar = reading.language.grammar
    if before == "DET" and after in VERBS and grammar.adjective_after and tags[n] != "ADV" and not _is_strong(form):
        # "Il portatile pesa", "il giallo è bello": nothing else can be the subject.
        return form.low not in grammar.plain_adjectives
    if after not in _AFTER_NOUN or n == 0 or form.uses or tags[n] == "ADV":
        return False
    if is_adjective(reading, n - 1) and reading.forms[n - 1].opinions:
        # "Mooi gepresenteerd", "fijn gemalen": how something was done.
        done = tags[n] == "VERB" and grammar.verb_last
        return not grammar.adjective_after and not done
    return before == "DET" and "NOUN" in lexical


def is_subject(reading: Reading, n: int) -> bool:
    """Whether a word tagged a verb stands where the subject of the next one does: "Fit is perfect"."""
    tags, grammar = reading.tags, reading.language.grammar
    if n and reading.forms[n - 1].low in grammar.articles and tags[n - 1 : n + 1] == ["PRON", "VERB"]:
        # "La entrega tardó": what could be a pronoun is an article.
        return reading.forms[n].noun and not VERBS.isdisjoint(tags[n + 1 : n + 2])
    if tags[n : n + 2] != ["VERB", "AUX"] or grammar.verb_last:
        return False
    return not n or tags[n - 1] in _BEFORE_SUBJECT


def _tells_kind(reading: Reading, n: int) -> bool:
    """Whether a word tagged a verb stands between what opens a noun phrase and its noun: "excellent print quality"."""
    tags, grammar = reading.tags, reading.language.grammar
    if not n or tags[n] != "VERB" or tags[n + 1 : n + 2] != ["NOUN"] or grammar.adjective_after or grammar.verb_last:
        return False
    return tags[n - 1] in _LEADS and reading.lemma(n) == reading.forms[n].low


def _is_strong(form: Form) -> bool:
    """Whether a word praises or blames by itself: "il peggiore è" names nothing."""
    return any(abs(entry.weight) > 1 for entry in form.opinions)


def _happens(reading: Reading, n: int) -> bool:
    """Whether two verbs open a statement, so that the first is what the second is said of: "Train cancelled"."""
    grammar, tags = reading.language.grammar, reading.tags
    if grammar.adjective_after or n + 1 >= len(tags) or tags[n] != "VERB" or tags[n + 1] != "VERB":
        return False
    after = reading.forms[n + 1].low
    return reading.lemma(n + 1) != after and not after.endswith(grammar.deed_endings or "\0")


def beside_noun(reading: Reading, n: int) -> bool:
    """Whether a word that may be an adjective stands where one would: by a noun, or with nothing to make it one."""
    tags, after = reading.tags, reading.language.grammar.adjective_after
    near = n - 1 if after else n + 1
    if 0 <= near < len(tags) and tags[near] in NOUNS:
        return True
    placed = (n > 0 and tags[n - 1] == "DET") or (n + 1 < len(tags) and tags[n + 1] in VERBS)
    return not placed and "NOUN" not in reading.language.lexical(reading.forms[n].low)


def done(reading: Reading, n: int) -> bool:
    """Whether a word listed as a verb alone tells what was done, and how stands before it: "perfect gebakken."."""
    entries = reading.forms[n].opinions
    if not n or not entries or not reading.language.grammar.verb_last or any(entry.pos != "V" for entry in entries):
        return False
    how = is_adjective(reading, n - 1) or reading.tags[n - 1] == "ADV"
    return how and reading.tags[n + 1 : n + 2] in _ENDED


def only_verb(reading: Reading, n: int) -> bool:
    """Whether a word tagged a verb stands where no noun can: "I charge", "can charge", "the owner wraps everything"."""
    tags = reading.tags
    if tags[n - 1] in _BEFORE_VERB or reading.forms[n - 1].low in reading.language.grammar.verb_leads:
        # "Que feijoada!"
        return reading.surface[n + 1 : n + 2] != ["!"] or (n > 1 and reading.kind[n - 2] != "p")
    if tags[n - 1] in NOUNS and reading.language.acts(reading.forms[n]):
        # "The coffee tastes like water", "el técnico vino", but "the self checkouts never work".
        return VERBS.isdisjoint(_beyond_adverb(tags, n))
    object_after = n + 1 < len(tags) and tags[n + 1] in {"DET", "PRON"}
    return object_after and tags[n - 1] == "NOUN" and not reading.language.grammar.adjective_after


def _beyond_adverb(tags: list[str], n: int) -> list[str]:
    """The tag behind token `n`, or behind the adverb there."""
    after = n + 2 if tags[n + 1 : n + 2] == ["ADV"] else n + 1
    return tags[after : after + 1]
