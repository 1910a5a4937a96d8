"""What the analysis must know of a dataset, in the form that travels to the analysis processes."""

from collections.abc import Iterable

from feedback.analysis import ClassifierRule, FittedClassifier, OwnOpinion, OwnTopic, Profile
from feedback.domain.dataset import Dataset
from feedback.domain.metadata_values import Breach, Typed, typed_value
from feedback.domain.own_entries import ClassifierEntry, MetadataCondition, OpinionEntry, OwnEntry, TopicEntry


def profile_of(dataset: Dataset, entries: Iterable[OwnEntry] = ()) -> Profile:
    """The analysis profile of a dataset with what it adds of its own."""
    definitions = [entry.definition for entry in entries]
    return Profile(
        lang=dataset.lang,
        type=dataset.type,
        industry=dataset.industry,
        topics=tuple(
            OwnTopic(d.code, d.label, d.terms, d.exclusions) for d in definitions if isinstance(d, TopicEntry)
        ),
        opinions=tuple(OwnOpinion(d.term, d.opinion, d.context) for d in definitions if isinstance(d, OpinionEntry)),
        classifiers=tuple(rule for d in definitions if isinstance(d, ClassifierEntry) for rule in _rules(dataset, d)),
        fitted=tuple(
            FittedClassifier(d.code, d.fitted.model)
            for d in definitions
            if isinstance(d, ClassifierEntry) and d.fitted is not None
        ),
    )


def _rules(dataset: Dataset, classifier: ClassifierEntry) -> Iterable[ClassifierRule]:
    for rule in classifier.rules:
        metadata = tuple((condition.code, _typed(dataset, condition)) for condition in rule.metadata)
        yield ClassifierRule(classifier.code, rule.value, rule.any_terms, rule.any_topics, rule.any_opinion, metadata)


def _typed(dataset: Dataset, condition: MetadataCondition) -> Typed:
    """The condition's value as documents carry it; what was legal once and is no more matches nothing it should not."""
    definition = dataset.definition(condition.code)
    outcome = condition.value if definition is None else typed_value(definition, condition.value)
    return condition.value if isinstance(outcome, Breach) else outcome
