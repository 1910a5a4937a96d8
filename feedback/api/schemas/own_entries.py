"""What a dataset adds of its own: topics, opinion entries, classifiers."""

from typing import Literal

from pydantic import Field

from feedback.api.schemas.common import Identifier, Model, Opinion, Timestamp
from feedback.api.schemas.documents import MetadataBody


class TopicBody(Model):
    """A topic of a dataset's own. A code the industry's taxonomy has already adds to that topic."""

    code: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    label: str | None = Field(None, max_length=100, description="The code where it is absent.")
    terms: list[str] = Field(min_length=1, max_length=500, description="Words or phrases that raise the topic.")
    exclusions: list[str] = Field(
        default=[], max_length=500, description="Phrases that do not, although they hold one."
    )


class TopicRecordOfDataset(TopicBody):
    """A topic as stored."""

    id: Identifier
    created_at: Timestamp


class OpinionEntryBody(Model):
    """A word or phrase and the opinion it expresses; NEUTRAL takes away what it expresses elsewhere."""

    term: str = Field(max_length=100)
    opinion: Opinion
    context: list[str] = Field(default=[], max_length=500, description="Words it must describe; empty: any.")


class OpinionEntryRecord(OpinionEntryBody):
    """An opinion entry as stored."""

    id: Identifier
    created_at: Timestamp


class RuleBody(Model):
    """The value a document gets if all that is stated holds; a rule that states nothing is the default."""

    value: str = Field(max_length=100)
    any_terms: list[str] = Field(default=[], max_length=500)
    any_topics: list[str] = Field(default=[], max_length=500)
    any_opinion: Opinion | None = Field(None, description="Narrows anyTerms and anyTopics to what is judged so.")
    metadata: list[MetadataBody] = Field(default=[], max_length=200)


class LabelledBody(Model):
    """A value, and the document that has it: one of the dataset's, or a text."""

    value: str = Field(max_length=100)
    external_id: str | None = Field(None, description="A document of the dataset.")
    text: str | None = Field(None, max_length=100_000, description="A text that need not be in the dataset.")


class ClassifierBody(Model):
    """What gives the document's `classifiers.<code>` its value: the first rule that holds, or a fitted model."""

    code: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    kind: Literal["RULES", "FITTED"] = "RULES"
    rules: list[RuleBody] = Field(default=[], max_length=200, description="In order; of kind RULES, at least one.")
    documents: list[LabelledBody] = Field(
        default=[],
        max_length=5000,
        description="What a classifier of kind FITTED learns from: 2 to 20 values, at least ten documents of each.",
    )


class ClassRecord(Model):
    """A value of a fitted classifier, and how many of the labelled documents had it."""

    value: str
    documents: int


class ClassifierRecord(Model):
    """A classifier as stored: its rules, or what came of its labelled documents, which are not kept."""

    id: Identifier
    code: str
    kind: Literal["RULES", "FITTED"]
    rules: list[RuleBody] | None = Field(None, description="Of kind RULES only, as what follows of FITTED.")
    classes: list[ClassRecord] | None = None
    folds: int | None = Field(None, description="The parts of the documents that were held back in turn.")
    accuracy: float | None = Field(None, description="Share of documents held back whose value was found.")
    macro_f1: float | None = Field(None, alias="macroF1", description="Mean F1 of the values, each counting alike.")
    features: int | None = Field(None, description="Words and parts of words that the model weighs.")
    created_at: Timestamp
