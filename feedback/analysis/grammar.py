"""What the code must know of a language's grammar: the switches and word lists of its `language.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Grammar:
    """The switches and word lists of `language.toml`; all words are lemmas or lower-case forms."""

    adjective_after: bool = False
    linkers: frozenset[str] = frozenset()
    postpositions: frozenset[str] = frozenset()
    loose_linkers: frozenset[str] = frozenset()
    contractions: frozenset[str] = frozenset()
    attributive: str = ""
    praise_headings: frozenset[str] = frozenset()
    blame_headings: frozenset[str] = frozenset()
    comparatives: frozenset[str] = frozenset()
    comparative_ending: str = ""
    copulas: frozenset[str] = frozenset()
    verb_negator_after: bool = False
    comma_ends: bool = False
    capital_nouns: bool = False
    plain_adjectives: frozenset[str] = frozenset()
    first_person: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    such: frozenset[str] = frozenset()
    than: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset()
    demonstratives: frozenset[str] = frozenset()
    nominal_predicates: bool = True
    prefix: str = ""
    verb_last: bool = False
    compounds: bool = False
    possession: frozenset[str] = frozenset()
    mending: frozenset[str] = frozenset()
    half_negators: frozenset[str] = frozenset()
    infinitive_markers: frozenset[str] = frozenset()
    infinitive_ending: str = ""
    deed_endings: tuple[str, ...] = ()
    subjectless_ending: str = ""
    property_verbs: frozenset[str] = frozenset()
    ease: frozenset[str] = frozenset()
    noun_endings: tuple[str, ...] = ()
    genitives: frozenset[str] = frozenset()
    digraphs: str = ""
    verb_leads: frozenset[str] = frozenset()
    inverted: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    terms_if_judged: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    courses: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()
    amount_for: frozenset[str] = frozenset()
    salutations: frozenset[str] = frozenset()
    thanks: frozenset[str] = frozenset()
    formerly: frozenset[str] = frozenset()
    nowadays: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    otherwise: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    former_endings: tuple[str, ...] = ()
    worth: frozenset[str] = frozenset()
    participle_endings: tuple[str, ...] = ()
    articles: frozenset[str] = frozenset()
    more: frozenset[str] = frozenset()
    improving: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()
    answers: frozenset[str] = frozenset()
    pronouns: Mapping[str, str] = field(default_factory=dict)


def read_grammar(path: Path) -> Grammar:
    """The grammar in a `language.toml`; a language without one has every switch off."""
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known: dict[str, Any] = {
        key: tuple(v) if key.endswith("_endings") else frozenset(v) if isinstance(v, list) else v
        for key, v in data.items()
    }
    return Grammar(**known)
