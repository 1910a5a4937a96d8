"""What an analysis depends on besides the text: the dataset's language, industry, own words and classifiers."""

import msgspec

Value = str | int | float | bool


class OwnTopic(msgspec.Struct, frozen=True):
    """A topic a dataset adds: raised by any of `terms` (words or phrases), unless one of `exclusions` stands there."""

    code: str
    label: str
    terms: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()


class OwnOpinion(msgspec.Struct, frozen=True):
    """An opinion word a dataset adds or corrects.

    `term` is the word or phrase that judges, `context` the words it must describe (empty: any), and `opinion` is
    POSITIVE, NEGATIVE or NEUTRAL, which takes the judgement out of a word that carries one elsewhere.
    """

    term: str
    opinion: str
    context: tuple[str, ...] = ()


class ClassifierRule(msgspec.Struct, frozen=True):
    """One rule of a classifier: the first rule of a `code` that holds gives its `value`.

    A rule holds if every condition it states holds: one of `any_terms` is in the text (`any_opinion` narrows that to
    terms judged so), one of `any_topics` is raised, and every metadata field in `metadata` equals its value. A rule
    that states nothing is the default, whatever its place: it is asked last.
    """

    code: str
    value: str
    any_terms: tuple[str, ...] = ()
    any_topics: tuple[str, ...] = ()
    any_opinion: str | None = None
    metadata: tuple[tuple[str, Value], ...] = ()

    @property
    def default(self) -> bool:
        """Whether the rule states no condition."""
        return not (self.any_terms or self.any_topics or self.any_opinion or self.metadata)


class FittedClassifier(msgspec.Struct, frozen=True):
    """A classifier that was fitted on labelled documents; `model` is a packed `fitted.Model`."""

    code: str
    model: bytes


class Profile(msgspec.Struct, frozen=True):
    """A dataset as the analysis sees it. Picklable, and equal profiles hash alike."""

    lang: str | None = "en"
    type: str = "SATISFACTION_SURVEY_RESPONSE"
    industry: str = "GENERAL"
    topics: tuple[OwnTopic, ...] = ()
    opinions: tuple[OwnOpinion, ...] = ()
    classifiers: tuple[ClassifierRule, ...] = ()
    fitted: tuple[FittedClassifier, ...] = ()
