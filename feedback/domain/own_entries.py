"""What a dataset adds to the analysis: topics, opinion entries and classifiers of its own, read from requests."""

import hashlib
import re
from enum import StrEnum
from typing import Any

import msgspec

from feedback.domain.dataset import Dataset
from feedback.domain.document import Opinion
from feedback.domain.metadata_values import Breach, shown, typed_value
from feedback.domain.reader import Reader
from feedback.errors import Code

MAX_TERMS = 500
MAX_TERM = 100
MAX_RULES = 200
MAX_VALUE = 100

RULES, FITTED = "RULES", "FITTED"
"""How a classifier comes by its values."""

CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Kind(StrEnum):
    """The kinds of own entries; the value is their place in an address."""

    TOPIC = "topics"
    OPINION = "opinions"
    CLASSIFIER = "classifiers"


MOST = {Kind.TOPIC: 200, Kind.OPINION: 2000, Kind.CLASSIFIER: 50}
"""How many a dataset may have: each is asked about every text."""


class TopicEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A topic that is raised by any of its terms, unless an exclusion is what stands there."""

    code: str
    label: str
    terms: tuple[str, ...]
    exclusions: tuple[str, ...] = ()


class OpinionEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A word or phrase that judges, everywhere or only what is named in `context`."""

    term: str
    opinion: Opinion
    context: tuple[str, ...] = ()


class MetadataCondition(msgspec.Struct, frozen=True):
    """That a document's metadata has a value."""

    code: str
    value: str | int | float | bool


class Rule(msgspec.Struct, frozen=True, rename="camel"):
    """The value a document gets if everything the rule states holds; one that states nothing is the default."""

    value: str
    any_terms: tuple[str, ...] = ()
    any_topics: tuple[str, ...] = ()
    any_opinion: Opinion | None = None
    metadata: tuple[MetadataCondition, ...] = ()


class Share(msgspec.Struct, frozen=True):
    """A value and how many labelled documents had it."""

    value: str
    documents: int


class FittedModel(msgspec.Struct, frozen=True, rename="camel"):
    """What came of labelled documents: the model, and how often its like were right on documents they had not seen."""

    classes: tuple[Share, ...]
    folds: int
    accuracy: float
    macro_f1: float
    features: int
    model: bytes


class ClassifierEntry(msgspec.Struct, frozen=True):
    """Gives `classifier.<code>` its value: the first of `rules` that holds, or the model where there is one."""

    code: str
    rules: tuple[Rule, ...] = ()
    fitted: FittedModel | None = None


Definition = TopicEntry | OpinionEntry | ClassifierEntry
DEFINITIONS: dict[Kind, type[Definition]] = {
    Kind.TOPIC: TopicEntry,
    Kind.OPINION: OpinionEntry,
    Kind.CLASSIFIER: ClassifierEntry,
}


class OwnEntry(msgspec.Struct, frozen=True):
    """A stored entry."""

    id: str
    kind: Kind
    definition: Definition
    created_at: int


def read_entry(kind: Kind, dataset: Dataset, body: object) -> Definition:
    """The entry in a decoded JSON body; Invalid with all problems where it breaks a rule."""
    reader = Reader()
    if kind is Kind.TOPIC:
        entry: Definition = _topic(reader, body)
    elif kind is Kind.OPINION:
        entry = _opinion(reader, body)
    else:
        entry = _classifier(reader, dataset, body)
    reader.finish()
    return entry


def name_of(entry: Definition) -> str:
    """What is unique among a dataset's entries of a kind: the code, or what an opinion entry is about."""
    if not isinstance(entry, OpinionEntry):
        return entry.code
    about = "\0".join([entry.term.casefold(), *sorted(word.casefold() for word in entry.context)])
    return hashlib.sha256(about.encode()).hexdigest()


def _topic(reader: Reader, body: object) -> TopicEntry:
    members = reader.members(body, "", {"code", "label", "terms", "exclusions"})
    code = reader.pattern(members, "code", CODE, "[A-Za-z0-9_-]{1,64}")
    label = code if members.get("label") is None else reader.text(members, "label", "", maximum=MAX_TERM)
    terms = _terms(reader, members, "terms", "")
    if members.get("terms") in (None, []):
        reader.add(Code.REQUIRED, "a topic needs the words or phrases that raise it", "terms")
    return TopicEntry(code, label, terms, _terms(reader, members, "exclusions", ""))


def _opinion(reader: Reader, body: object) -> OpinionEntry:
    members = reader.members(body, "", {"term", "opinion", "context"})
    term = reader.text(members, "term", "", maximum=MAX_TERM)
    opinion = reader.choice(members, "opinion", list(Opinion))
    context = _terms(reader, members, "context", "")
    return OpinionEntry(term, Opinion(opinion) if opinion in set(Opinion) else Opinion.NEUTRAL, context)


def _classifier(reader: Reader, dataset: Dataset, body: object) -> ClassifierEntry:
    members = reader.members(body, "", {"code", "kind", "rules"})
    if members.get("kind") not in (None, RULES):
        reader.choice(members, "kind", [RULES, FITTED])
    code = reader.pattern(members, "code", CODE, "[A-Za-z0-9_-]{1,64}")
    rules = members.get("rules")
    if not isinstance(rules, list) or not rules:
        reader.add(Code.REQUIRED, "a classifier needs an array of rules", "rules")
        rules = []
    if len(rules) > MAX_RULES:
        reader.add(Code.TOO_MANY, f"a classifier takes at most {MAX_RULES} rules", "rules")
        rules = []
    return ClassifierEntry(code, tuple(_rule(reader, dataset, rule, f"rules[{n}]") for n, rule in enumerate(rules)))


def _rule(reader: Reader, dataset: Dataset, value: object, path: str) -> Rule:
    members = reader.members(value, path, {"value", "anyTerms", "anyTopics", "anyOpinion", "metadata"})
    opinion = None
    if members.get("anyOpinion") is not None:
        opinion = reader.choice(members, "anyOpinion", list(Opinion), path)
    conditions = members.get("metadata") or []
    if not isinstance(conditions, list) or len(conditions) > MAX_RULES:
        reader.add(Code.WRONG_TYPE, f"metadata is an array of {{code, value}}, not {shown(conditions)}", path)
        conditions = []
    return Rule(
        value=reader.text(members, "value", path, maximum=MAX_VALUE),
        any_terms=_terms(reader, members, "anyTerms", path),
        any_topics=_terms(reader, members, "anyTopics", path),
        any_opinion=Opinion(opinion) if opinion in set(Opinion) else None,
        metadata=tuple(
            found
            for n, condition in enumerate(conditions)
            if (found := _condition(reader, dataset, condition, f"{path}.metadata[{n}]")) is not None
        ),
    )


def _condition(reader: Reader, dataset: Dataset, value: object, path: str) -> MetadataCondition | None:
    members: dict[str, Any] = reader.members(value, path, {"code", "value"})
    code = reader.text(members, "code", path)
    definition = dataset.definition(code)
    if not code:
        return None
    if definition is None:
        known = ", ".join(d.code for d in dataset.metadata_definitions) or "none"
        reader.add(Code.UNKNOWN_FIELD, f"the dataset defines no metadata {shown(code)}; it defines: {known}", path)
        return None
    if definition.personal_data:
        reader.add(Code.PERSONAL_DATA, f"{code} is personal data, on which documents are not classified", path)
        return None
    wanted = members.get("value")
    if not isinstance(wanted, str | int | float | bool):
        reader.add(Code.WRONG_TYPE, f"a string, number or boolean, not {shown(wanted)}", f"{path}.value")
        return None
    outcome = typed_value(definition, wanted)
    if isinstance(outcome, Breach):
        reader.add(outcome.code, outcome.description, f"{path}.value")
        return None
    return MetadataCondition(code, wanted)


def _terms(reader: Reader, members: dict[str, Any], name: str, path: str) -> tuple[str, ...]:
    return reader.texts(members, name, path, most=MAX_TERMS, maximum=MAX_TERM)
