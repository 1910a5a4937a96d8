"""Decides of single words whether they are nouns or adjectives here, mending the tagger on rough text."""

from feedback.analysis.form import Form
from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS, VERBS

_MAYBE_ADJECTIVE = frozenset({"NOUN", "PROPN", "ADV", "VERB", "X", "INTJ"})
_MAYBE_NOUN = frozenset({"VERB", "ADJ", "X", "ADV", "INTJ", "AUX"})
_POSSIBLE = NOUNS | _MAYBE_NOUN
_AFTER_ARTICLE = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X", "ADV", "SYM"})
_BEFORE_VERB = frozenset({"AUX", "PART"})
_BEFORE_NAME = frozenset({"PUNCT", "DET", "CCONJ", "ADP"})
_SHORTEST_DEED = 2
_SHORTEST_DECADE = 2
_BEFORE_SUBJECT = frozenset({"PUNCT", "CCONJ", "DET", "ADJ"})
_LEADS = frozenset({"DET", "ADJ"})
_ENDED: tuple[list[str], ...] = ([], ["PUNCT"], ["CCONJ"], ["SCONJ"], ["ADP"])
_GOES_ON = frozenset({"ADP", "VERB", "PRON", "SCONJ", "CCONJ"})
_COLONS = frozenset({":", "："})
_AFTER_NOUN = frozenset({"PUNCT", "AUX", "CCONJ", "ADP", "SYM", "VERB"})


def is_noun(reading: Reading, n: int) -> bool:
    """Whether token `n` can be the noun of a term."""
    return (reading.nouns or nouns(reading))[n]


def nouns(reading: Reading) -> list[bool]:
    """Of each token whether it can be the noun of a term."""
    if not reading.nouns:
        # Asked of a token and again of its neighbours: each is looked at once.
        reading.nouns = [
            (tag in _POSSIBLE if kind == "w" else kind in "hu") and _may_name(reading, k)
            for k, (kind, tag) in enumerate(zip(reading.kind, reading.tags, strict=True))
        ]
    return reading.nouns


def _may_name(reading: Reading, n: int) -> bool:
    tag, form = reading.tags[n], reading.forms[n]
    if reading.kind[n] != "w":
        return (reading.kind[n] == "h" and len(reading.surface[n]) > 1) or is_handle(reading, n)
    if _is_amount(reading, form):
        return False
    if form.shades and not form.noun:
        # "Het geheel was heerlijk", but "geheel nieuw".
        return tag == "NOUN" and form.low in reading.language.grammar.terms_if_judged
    if tag == "VERB" and reading.language.grammar.courses and _is_measured(reading, n):
        return True
    if reading.language.knows_deeds and reading.language.is_deed(form, tag, reading.tags[n - 1] if n else ""):
        return False
    if (reading.capitals and reading.surface[n][0].islower()) or _only_shades(reading, n):
        return False
    if tag in NOUNS:
        # A judging adjective that was tagged a noun ("quiet place") would swallow the term.
        return form.noun or not (_beside_noun(reading, n) if form.adjective else _done(reading, n))
    if tag == "VERB" and n and _only_verb(reading, n):
        return False
    if tag == "VERB" and _listed_noun(reading, n):
        return True
    if tag == "ADJ" and reading.tags[n + 1 : n + 2] == ["NOUN"] and _is_plain(reading, n):
        # "Los primeros tacos" are no first course.
        return False
    if tag == "X" and (form.noun or _is_listed(reading, n)) and "NOUN" in reading.language.lexical(form.low):
        return True
    if form.noun:
        names = n + 1 < len(reading.tags) and (n == 0 or reading.kind[n - 1] == "p") and _opens(reading, n)
        named = names or not form.opinions or _is_subject(reading, n) or _placed(reading, n) or _described(reading, n)
        return tag in _MAYBE_NOUN and named and not form.modifiers
    return tag in {"ADJ", "VERB", "X", "ADV"} and (_stranded(reading, n) or _begins(reading, n) or _is_number(form))


def _only_shades(reading: Reading, n: int) -> bool:
    """Whether a word without a noun's capital is the adverb spelled alike: "bus mal wieder voll", "SERVICE TOP"."""
    surface = reading.surface[n]
    plain = reading.language.grammar.capital_nouns and (surface[0].islower() or surface.isupper())
    return plain and any(entry.pos == "R" for entry in reading.forms[n].opinions)


def _is_measured(reading: Reading, n: int) -> bool:
    """Whether a verb is part of what its course is judged by: "排队时间很长", but not "花时间"."""
    tags, form = reading.tags, reading.forms[n]
    if n + 2 >= len(tags) or len(form.low) < _SHORTEST_DEED or any(abs(e.weight) > 1 for e in form.opinions):
        return False
    judged = tags[n + 2] == "ADJ" or tags[n + 2 : n + 4] == ["ADV", "ADJ"]
    return judged and tags[n + 1] == "NOUN" and reading.forms[n + 1].low in reading.language.grammar.courses


def _is_number(form: Form) -> bool:
    """Whether a word is the number of a thing: "rb51", "s1", but not "gr8"."""
    low = form.low
    return low[-1].isdecimal() and low[0].isalpha() and low == form.spelled and not form.opinions and not form.modifiers


def _is_amount(reading: Reading, form: Form) -> bool:
    """Whether a word is a number and what it counts, or a decade: "45minutes", "5ft", "the 1990s", but "5G", "4K"."""
    if not form.low[0].isdecimal():
        return False
    unit = form.low.lstrip("0123456789")
    if len(unit) == 1:
        return unit == "s" and len(form.low) > _SHORTEST_DECADE
    stops = reading.language.stopterms
    return unit in stops or reading.language.lemmas.lemma(unit, "NOUN") in stops


def _listed_noun(reading: Reading, n: int) -> bool:
    """Whether a word tagged a verb is known as nothing but a noun, and stands where one may: "Tastiera con luci"."""
    before, form, language = reading.tags[n - 1] if n else "PUNCT", reading.forms[n], reading.language
    if before not in _BEFORE_NAME or language.lexical(form.low) != "NOUN":
        return False
    return not language.inflects(form.low, language.lemma(form, "VERB"), "VERB")


def _begins(reading: Reading, n: int) -> bool:
    """Whether a word that is no verb begins a statement on what it names: "Panela muito boa", "Chefia que grita"."""
    tags, form = reading.tags, reading.forms[n]
    if tags[n] != "VERB" or (n and reading.kind[n - 1] != "p") or n + 1 >= len(tags):
        return False
    if reading.surface[n + 1] in _COLONS and _is_listed(reading, n):
        return True
    if tags[n + 1] in _GOES_ON and _is_listed(reading, n):
        return reading.language.grammar.adjective_after
    shaded = tags[n + 1] == "ADV" and _grades(reading.forms[n + 1]) and n + 2 < len(tags)
    after = n + 2 if shaded else n + 1
    judged = reading.language.grammar.adjective_after and tags[after] == "ADJ" and reading.forms[after].adjective
    listed = any(entry.pos == "V" for entry in form.opinions)
    return judged and not form.uses and not listed and not reading.language.seen_as(form.low)


def _only_verb(reading: Reading, n: int) -> bool:
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


def is_handle(reading: Reading, n: int) -> bool:
    """Whether token `n` is the name of an account: "@northernrail"."""
    return reading.kind[n] == "u" and reading.surface[n][0] == "@"


def _opens(reading: Reading, n: int) -> bool:
    """Whether a word that begins a statement is what it is about: "Letto comodo", "Reso facile"."""
    after, before = reading.tags[n + 1], reading.tags[n]
    if reading.surface[n + 1] in _COLONS:
        # What stands before a colon: "Entrega: rápida."
        return True
    if before == "ADJ" and after in VERBS:
        return True
    if before == "VERB" and after in _GOES_ON and _is_listed(reading, n):
        # "Reso fatto in due clic", "Monitor com cores lindas".
        return reading.language.grammar.adjective_after
    # "Entrega muy rápida": a degree may stand between them.
    shaded = after == "ADV" and n + 2 < len(reading.tags) and _grades(reading.forms[n + 1])
    judged = reading.language.grammar.adjective_after and reading.forms[n + 2 if shaded else n + 1].adjective
    return judged and before in {"ADJ", "VERB"} and not reading.forms[n].adjective


def _grades(form: Form) -> bool:
    """Whether a word tells the degree of the adjective behind it: "very", "a bit", "too"."""
    return form.shades or any(entry.kind == "excess" for entry in form.modifiers)


def _is_listed(reading: Reading, n: int) -> bool:
    """Whether the lexicon lists a word as a noun and as nothing else."""
    opinions = reading.forms[n].opinions
    return bool(opinions) and all(entry.pos == "N" for entry in opinions)


def _described(reading: Reading, n: int) -> bool:
    """Whether an adjective before a word and nothing after it make it a noun: "warm welcome."."""
    tags = reading.tags
    alone = not reading.language.grammar.adjective_after and n > 0 and tags[n - 1] == "ADJ"
    if not alone or n + 1 == len(tags) or tags[n + 1] in {"PUNCT", "CCONJ"}:
        return alone
    # "Heerlijk ontbijt met verse broodjes": nobody has seen it as anything but a noun.
    form = reading.forms[n]
    judged = reading.forms[n - 1].adjective and not any(entry.weight for entry in form.opinions)
    return judged and tags[n + 1] == "ADP" and "VERB" not in reading.language.seen_as(form.low)


def noun_tag(reading: Reading, n: int) -> str:
    """NOUN or PROPN: what a noun of a term counts as, whatever the tagger made of it here."""
    if reading.tags[n] != "PROPN":
        return "NOUN"
    form = reading.forms[n]
    common = form.noun or reading.surface[n].islower()
    return "NOUN" if common or "NOUN" in reading.language.lexical(form.low).split("|") else "PROPN"


def noun_lemma(reading: Reading, n: int) -> str:
    """The base form of a noun of a term."""
    form = reading.forms[n]
    if reading.tags[n] != "PROPN" and "NOUN" in form.lemma:
        return form.lemma["NOUN"]
    return reading.language.lemma(form, noun_tag(reading, n))


def _placed(reading: Reading, n: int) -> bool:
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


def _beside_noun(reading: Reading, n: int) -> bool:
    """Whether a word that may be an adjective stands where one would: by a noun, or with nothing to make it one."""
    tags, after = reading.tags, reading.language.grammar.adjective_after
    near = n - 1 if after else n + 1
    if 0 <= near < len(tags) and tags[near] in NOUNS:
        return True
    placed = (n > 0 and tags[n - 1] == "DET") or (n + 1 < len(tags) and tags[n + 1] in VERBS)
    return not placed and "NOUN" not in reading.language.lexical(reading.forms[n].low)


def _done(reading: Reading, n: int) -> bool:
    """Whether a word listed as a verb alone tells what was done, and how stands before it: "perfect gebakken."."""
    entries = reading.forms[n].opinions
    if not n or not entries or not reading.language.grammar.verb_last or any(entry.pos != "V" for entry in entries):
        return False
    how = is_adjective(reading, n - 1) or reading.tags[n - 1] == "ADV"
    return how and reading.tags[n + 1 : n + 2] in _ENDED


def is_adjective(reading: Reading, n: int) -> bool:
    """Whether token `n` is used as an adjective."""
    tag = reading.tags[n]
    return tag == "ADJ" or (tag in _MAYBE_ADJECTIVE and reading.forms[n].adjective)


def _stranded(reading: Reading, n: int) -> bool:
    """Whether a word tagged otherwise stands where only a noun can: "nice fitting,", "the fit is"."""
    form, tags = reading.forms[n], reading.tags
    if form.modifiers or reading.kind[n] != "w":
        return False
    before = tags[n - 1] if n else "PUNCT"
    after = tags[n + 1] if n + 1 < len(tags) else "PUNCT"
    if _is_subject(reading, n) or _tells_kind(reading, n):
        return True
    lexical = reading.language.lexical(form.low)
    if before == "PUNCT" and _happens(reading, n) and "NOUN" in lexical:
        return True
    if _placed(reading, n) and (lexical == "?" or (tags[n] == "VERB" and not reading.language.grammar.adjective_after)):
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


def _is_subject(reading: Reading, n: int) -> bool:
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


def _judging(reading: Reading, n: int) -> bool:
    form = reading.forms[n]
    return any(not e.learnt for e in form.opinions) or bool(form.modifiers) or reading.covered[n]


def is_relational(reading: Reading, n: int) -> bool:
    """Whether an adjective tells a kind ("Italian food") and so belongs to the term, as "24hour" does not."""
    return not _judging(reading, n) and not _is_plain(reading, n) and not _is_amount(reading, reading.forms[n])


def _is_plain(reading: Reading, n: int) -> bool:
    plain = reading.language.grammar.plain_adjectives
    return reading.lemma(n) in plain or reading.forms[n].low in plain


def is_kind(reading: Reading, n: int, noun: int) -> bool:
    """Whether an adjective tells a kind of this noun though it judges others: "hard drive", "small print"."""
    form = reading.forms[n]
    grammar = reading.language.grammar
    if reading.tags[n] != "ADJ" or form.modifiers or reading.covered[n] or form.low in grammar.plain_adjectives:
        return False
    beside = reading.forms[noun].keys
    # Behind its noun even a mild one is said of it: "chargeur absent".
    mild = 0 if grammar.adjective_after else 1
    return bool(form.opinions) and not any(
        abs(entry.weight) > mild and (not entry.only or entry.only & beside) and not entry.never & beside
        for entry in form.opinions
    )


def verdict(reading: Reading, start: int, stop: int) -> int:
    """The noun among tokens `start`..`stop` that is itself a judgement or that a taxonomy knows; -1 if none is."""
    for n in range(stop - 1, start - 1, -1):
        form = reading.forms[n]
        if reading.tags[n] in NOUNS:
            led = n > 0 and reading.tags[n - 1] == "ADP"
            judges = not led and any(entry.weight and entry.pos in "N*" for entry in form.opinions)
            return n if form.noun or judges else -1
    return -1
