"""Mends the tags of a text by what is known of its words and by what stands beside them."""

from itertools import pairwise
from typing import TYPE_CHECKING

from feedback.analysis.form import Form
from feedback.analysis.tags import NOUNS, VERBS

if TYPE_CHECKING:
    from feedback.analysis.language import Language

_ENDED: tuple[list[str], ...] = ([], ["PUNCT"], ["CCONJ"])
_ADJECTIVE, _VERB = frozenset("A"), frozenset("V")
_BEFORE_NAME = frozenset({"DET", "ADJ"})
_NAMED: tuple[list[str], ...] = (["NOUN"], ["PROPN"], ["ADJ"])
_LEADING = frozenset({"DET", "ADJ"})
_DETERMINERS = frozenset({"DET", "PRON"})
_BEFORE_PHRASE = frozenset({"DET", "ADP", "PUNCT"})
_IN_PHRASE = NOUNS | {"ADJ"}
_LONGEST_PHRASE = 8
_NO_NAMES = frozenset({"VERB", "ADJ"})
_BEFORE_CLAUSE = frozenset({"PUNCT", "CCONJ", "SCONJ"})
_AFTER_VERB = frozenset({"DET", "PRON", "ADV"})
_AFTER_NOUN = frozenset({"AUX", "VERB", "NOUN", "ADJ"})


def settled(language: "Language", tags: list[str], forms: list[Form]) -> list[str]:
    """The tags of a text in a language that is written with blanks, mended."""
    if language.grammar.subjectless_ending:
        _settle_names(language, tags, forms)
        if "CCONJ" in tags:
            _settle_lists(language, tags, forms)
    if "PRON" in tags:
        _settle_verbs(language, tags, forms)
    if language.grammar.adjective_after:
        _settle_first(language, tags, forms)
        _settle_ranked(language, tags, forms)
        if "ADJ" in tags:
            _settle_adjectives(language, tags, forms)
    return tags


def _settle_adjectives(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Take for a noun what one of two adjectives, or the word before one, must be."""
    given = tags.copy()
    for n, tag in enumerate(given[1:]):
        if tag != "ADJ":
            continue
        if given[n] == "NOUN" and _leads(language, forms[n], forms[n + 1]):
            tags[n : n + 2] = ["ADJ", "NOUN"]
        elif given[n] == "ADJ" and _nameless(given, n) and _leads(language, forms[n], forms[n + 1]):
            # "Bel locale."
            tags[n + 1] = "NOUN"
        elif given[n] == "ADJ" and n and _is_named(forms[n + 1], given[n - 1], given[n + 2 :]):
            # "De bons petits plats maison."
            tags[n + 1] = "NOUN"
        elif given[n] == "DET" and forms[n].noun and tags[n + 2 : n + 3] in _ENDED:
            # "Son puissant."
            tags[n] = "NOUN"


def _settle_names(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Mend what was taken for a noun or for the verb before one; pronouns first, since verbs are told by them."""
    ending, leads = language.grammar.subjectless_ending, language.grammar.verb_leads
    for n, tag in enumerate(tags):
        led = n > 0 and tags[n - 1] in _DETERMINERS
        if tag in _IN_PHRASE and forms[n].low in leads and forms[n].written[-1].islower() and not led:
            # "It functions", but "the IT", "our it team".
            tags[n] = "PRON"
    for n, (before, tag) in enumerate(pairwise(tags), 1):
        # A tagger takes verbs it does not know for names, but names have capitals.
        named = tag == "NOUN" or (tag == "PROPN" and forms[n].written.islower())
        if named and before in _IN_PHRASE and _acts(language, tags, forms, n, ending):
            tags[n - 1 : n + 1] = ["NOUN" if before == "ADJ" else before, "VERB"]
        elif tag == "VERB" and before in _LEADING and _describes(language, tags, forms, n):
            tags[n] = "ADJ"


def _settle_lists(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Take for a noun what ends a list of nouns and was taken for a verb: "great color and fit."."""
    for n in range(2, len(tags)):
        if tags[n - 1 : n + 1] != ["CCONJ", "VERB"] or tags[n - 2] not in NOUNS or tags[n + 1 : n + 2] not in _ENDED:
            continue
        form = forms[n]
        if language.lemma(form, "VERB") == form.low and (form.noun or "NOUN" in language.seen_as(form.low)):
            tags[n] = "NOUN"


def _describes(language: "Language", tags: list[str], forms: list[Form], n: int) -> bool:
    """Whether a participle leads the noun behind it: "the grilled cheese", "reclining seats", not "busy serving"."""
    grammar = language.grammar
    if tags[n + 1 : n + 2] != ["NOUN"] or not forms[n].low.endswith(grammar.participle_endings):
        return False
    k = n - 1
    while k >= 0 and tags[k] == "ADJ":
        k -= 1
    return (
        k < 0
        or tags[k] in _BEFORE_PHRASE
        or (tags[k] == "VERB" and language.lemma(forms[k], "VERB") in grammar.possession)
    )


def _leads(language: "Language", judging: Form, named: Form) -> bool:
    """Whether an adjective was taken for the noun and the noun behind it for an adjective: "ottimo locale"."""
    known = named.noun and not named.adjective
    return known and judging.uses == _ADJECTIVE and "NOUN" not in language.seen_as(judging.low)


def _nameless(tags: list[str], n: int) -> bool:
    """Whether no noun stands beside the two adjectives at token `n`."""
    return not (n and tags[n - 1] in NOUNS) and (n + 2 == len(tags) or tags[n + 2] not in _IN_PHRASE)


def _settle_first(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Take for a noun what begins a statement without an article and was taken for something else."""
    for n, tag in enumerate(tags[:-1]):
        if tag not in _NO_NAMES or (n and tags[n - 1] != "PUNCT"):
            continue
        form, seen = forms[n], language.seen_as(forms[n].low)
        shaded = tags[n + 1 : n + 3] == ["ADV", "ADJ"] or tags[n + 1 : n + 4] == ["DET", "ADV", "ADJ"]
        leads = tag == "VERB" and (tags[n + 1] in _IN_PHRASE or shaded) and not form.adjective
        known = form.noun or (leads and language.listed(form.low) == "NOUN")
        if known and (leads or forms[n + 1].low in language.grammar.relatives):
            # "Letto che cigola", "tende ottime", "letto un po' duro".
            tags[n] = "NOUN"
        elif tag == "VERB" and not form.adjective:
            # "Tappeti da rifare"
            uses, base = (seen or language.hint(form.low)).split("|"), language.lemma(form, "VERB")
            # A word of the taxonomy that no treebank shows is a noun, unless it is a form of a known verb.
            verb = seen or base == form.low or language.inflects(form.low, base, "VERB")
            tags[n] = "NOUN" if "NOUN" in uses and ("VERB" not in uses or (form.noun and not verb)) else tag


def _is_named(form: Form, before: str, after: list[str]) -> bool:
    """Whether the last of several adjectives, which could be a noun, is one, since they have no other."""
    return form.noun and before in _BEFORE_NAME and after[:1] not in _NAMED


def _settle_ranked(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Take for an adjective what ranks the noun behind it, and was taken for one itself: "le pire restaurant"."""
    plain = language.grammar.plain_adjectives
    for n, tag in enumerate(tags[1:-1], 1):
        named = forms[n + 1].noun or (tags[n + 1] in NOUNS and forms[n + 1].written[0].islower())
        if named and tag == "NOUN" and forms[n].low in plain and tags[n - 1] == "DET":
            tags[n : n + 2] = ["ADJ", "NOUN"]


def _settle_verbs(language: "Language", tags: list[str], forms: list[Form]) -> None:
    """Take for a verb what stands beside its subject, a pronoun, and was taken for a noun."""
    leads, inverted = language.grammar.verb_leads, language.grammar.inverted
    for n, tag in enumerate(tags):
        if tag != "PRON":
            continue
        low = forms[n].low
        if low in leads:
            _settle_after(language, tags, forms, n)
        if low in inverted and n > 1 and tags[n - 1] in NOUNS and tags[n - 2] == "NOUN":
            # "Dankzij de app sta ik nooit in de rij."
            tags[n - 1] = "VERB"


def _settle_after(language: "Language", tags: list[str], forms: list[Form], n: int) -> None:
    """Take for a verb what was taken for a noun behind its subject at token `n`: "elle lit", "on le lit"."""
    clitics = {"PRON"} if forms[n].low in language.grammar.relatives else {"PRON", "DET"}
    after = n + 1 + (not clitics.isdisjoint(tags[n + 1 : n + 2]))
    if after < len(tags) and tags[after] == "NOUN":
        low = forms[after].low
        acts = "VERB" in language.seen_as(low).split("|") or language.inflects(
            low, language.lemma(forms[after], "VERB"), "VERB"
        )
        tags[after] = "VERB" if acts else "NOUN"


def _acts(language: "Language", tags: list[str], forms: list[Form], n: int, ending: str) -> bool:
    """Whether what was taken for a noun is what the one before does: "the owner wraps all", "buds keep falling"."""
    form, before, seen = forms[n], forms[n - 1], language.seen_as(forms[n].low)
    if tags[n - 1] == "ADJ" and (before.adjective or not before.noun):
        return False
    if before.adjective and not before.noun and "NOUN" not in language.seen_as(before.low):
        # "A great feel", whatever the tagger makes of "great".
        return False
    following, after = (tags[n + 1], forms[n + 1].low) if n + 1 < len(tags) else ("PUNCT", "")
    base, lexical = language.lemma(form, "VERB"), language.lexical(form.low)
    if base != form.low and "VERB" in lexical and "NOUN" not in lexical and following not in _AFTER_NOUN:
        # "The fridge froze overnight", but "everyday wear".
        return True
    several, singular = language.lemma(before, "NOUN") != before.low, form.low.endswith(ending)
    k = n - 1
    while k >= max(0, n - _LONGEST_PHRASE) and tags[k] in _IN_PHRASE:
        k -= 1
    led = k >= 0 and tags[k] in {"DET", "PRON"}
    if not (k < 0 or tags[k - led] in _BEFORE_CLAUSE or (led and not k)):
        return False
    done = form.uses == _VERB and not singular and not form.noun and base != form.low and "NOUN" not in seen
    if done and following not in _AFTER_NOUN:
        # "The strap tore after a week".
        return True
    if led and singular and base != form.low and "NOUN" not in seen and following not in _AFTER_NOUN:
        return True
    if several == singular or (singular and base == form.low):
        return False
    if (led or several) and _verbless(tags, n) and language.verbal(form):
        return True
    if "VERB" not in (language.seen_as(base) if singular else seen):
        return False
    goes_on = following in _AFTER_VERB or (following == "VERB" and after.endswith(language.grammar.deed_endings))
    judges = "V" in form.uses and not form.noun and form.uses.isdisjoint("AN")
    return seen != "NOUN" and (judges or (goes_on and after not in language.grammar.relatives))


def _verbless(tags: list[str], n: int) -> bool:
    """Whether what was taken for two nouns goes on, but no verb follows in its clause: "the map shows streets"."""
    if n + 1 == len(tags):
        return True
    if tags[n + 1] in _BEFORE_CLAUSE:
        # "The strap slips and I sent it back".
        return (tags[n + 1] == "PUNCT" and n + 2 == len(tags)) or tags[n + 2 : n + 3] == ["PRON"]
    for tag in tags[n + 1 : n + _LONGEST_PHRASE]:
        if tag in VERBS:
            return False
        if tag in _BEFORE_CLAUSE or tag == "PRON":
            break
    return True
