"""What is known about a word form by itself."""

from dataclasses import dataclass, field

from feedback.analysis.lexicon import Entry, Following


@dataclass(frozen=True, slots=True)
class Form:
    """All that is known about a word form before it is seen in a sentence.

    `written` is how the tagger sees it, `keys` are the spellings under which the lexicon may know it: itself, mended,
    and its base forms; `phrases` are those it may begin, for each of its keys that begins any, `seconds` the words they
    go on with. A `noun` is a word of the taxonomy, a `topical` one has it among its keys, what `begins` opens a phrase
    of it, an `adjective` may judge as one, what `shades` only strengthens, weakens or denies, an `amount` is a number
    and what it counts; `uses` are the parts of speech it judges as; a `thing` is known as nothing but a noun. What does
    not speak (`speaks`) can neither judge nor change a judgement, nor begin what does. The `aspect` says how readily
    feedback judges what it names.
    """

    low: str
    spelled: str
    written: str
    keys: frozenset[str]
    opinions: tuple[Entry, ...]
    modifiers: tuple[Entry, ...]
    phrases: tuple[Following, ...]
    seconds: frozenset[str]
    elongated: bool
    noun: bool
    topical: bool
    begins: bool
    adjective: bool
    shades: bool
    amount: bool
    uses: frozenset[str]
    thing: bool
    speaks: bool
    aspect: float
    lemma: dict[str, str] = field(default_factory=dict)
