"""The shapes of requests and replies as the OpenAPI document shows them; the rules themselves stand in `domain`."""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")
Opinion = Literal["POSITIVE", "NEGATIVE", "NEUTRAL"]
Value = float | str | bool
Timestamp = Annotated[str, Field(examples=["2026-11-21T10:15:00.000Z"])]
Identifier = Annotated[str, Field(pattern="^[0-9a-f]{24}$", examples=["65f0c2a9d3b1e4f5a6b7c8d9"])]


class Model(BaseModel):
    """A model whose fields are written in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ErrorItem(Model):
    """One problem: a code of the documented list, a sentence, and the path it concerns."""

    code: str
    description: str
    field: str | None


class ErrorBody(Model):
    """The body of every reply that is not 2xx."""

    success: Literal[False]
    errors: list[ErrorItem]


class PageOf(Model, Generic[Item]):
    """A page of a list."""

    page: int
    page_size: int
    total: int
    items: list[Item]


class TokenRequest(Model):
    """A client's credentials."""

    client_id: str
    client_secret: str


class TokenRecord(BaseModel):
    """An access token and its life in seconds."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int


class BoundsBody(Model):
    """The inclusive range of a numeric metadata field."""

    upper: float | None = None
    lower: float | None = None


class DefinitionBody(Model):
    """A metadata definition as sent."""

    code: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    type: str = Field(description="NPS, CSAT, CES, Number, Datetime, String, LatLng or Boolean, in any case.")
    mandatory: bool = False
    personal_data: bool = False
    allowed_values: list[Value] = []
    bounds: BoundsBody | None = None
    max_length: int | None = Field(None, ge=1, le=100_000)


class DatasetBody(Model):
    """A dataset as declared by a client."""

    name: str = Field(min_length=1, max_length=200)
    lang: str = Field(description="BCP 47, for example fr or zh-CN.")
    type: str = Field(pattern="^[A-Z0-9_]{1,64}$")
    industry: str = Field(pattern="^[A-Z0-9_]{1,64}$")
    metadata_definitions: list[DefinitionBody] = []
    masking: bool = Field(default=False, description="Replace personal data in texts by typed placeholders.")


class DatasetChange(Model):
    """Metadata definitions to add, and definitions whose allowed values are to be widened."""

    metadata_definitions: list[DefinitionBody] = []


class MonthRecord(Model):
    """Documents imported in a month."""

    month: str = Field(examples=["2026-11"])
    count: int


class DatasetRecord(DatasetBody):
    """A dataset as stored."""

    id: Identifier
    state: Literal["ACTIVE"]
    created_at: Timestamp
    updated_at: Timestamp
    monthly_imported_documents: list[MonthRecord]


class MetadataBody(Model):
    """A metadata value of a document."""

    code: str
    value: Value


class DocumentBody(Model):
    """A document as sent; `lang` and `type` default to the dataset's."""

    external_id: str = Field(description="1 to 512 bytes, unique in the dataset.")
    content: str = Field(max_length=100_000)
    lang: str | None = None
    type: str | None = None
    metadata: list[MetadataBody] = []


class ImportBody(Model):
    """A batch of any number of documents."""

    documents: list[DocumentBody]


class DocumentErrorRecord(Model):
    """Why a document of an import was not analysed."""

    code: str
    description: str
    field: str | None
    external_id: str | None
    index: int | None = Field(description="Place of the document in the import, from 0; null: the import as a whole.")


class ImportRecord(Model):
    """An import. processed = listed + failed + superseded + erased; at COMPLETED it equals totalDocuments."""

    id: Identifier
    created_at: Timestamp
    updated_at: Timestamp
    ended_at: Timestamp | None = Field(None, description="Absent until the import has ended.")
    state: Literal["STARTED", "COMPLETED", "FAILED"]
    kind: Literal["REANALYSIS"] | None = Field(None, description="Absent for an import of documents.")
    total_documents: int
    processed_documents: int
    failed_documents: int
    superseded_documents: int
    erased_documents: int
    errors: list[DocumentErrorRecord] = Field(description="The first 1,000; GET .../errors pages all.")


class ChangeRecord(Model):
    """Something that a re-analysis found otherwise, and how often."""

    change: Literal[
        "TERM_GAINED",
        "TERM_LOST",
        "OPINION_GAINED",
        "OPINION_LOST",
        "OPINION_FLIPPED",
        "TOPIC_GAINED",
        "TOPIC_LOST",
        "TOPIC_OPINION_GAINED",
        "TOPIC_OPINION_LOST",
        "TOPIC_OPINION_FLIPPED",
        "CLASSIFIER_CHANGED",
    ]
    value: str = Field(description="The term, or the code of the topic or classifier.")
    before: str | None = Field(description="The opinion on it, or the classifier's value; null: there was none.")
    after: str | None
    count: int


class OffsetRecord(Model):
    """A span in Unicode code points, end exclusive."""

    begin: int
    end: int


class EnrichmentRecord(Model):
    """A term found in a text."""

    term: str = Field(examples=["customer_service__NOUN__1"])
    opinion: Opinion
    offset: OffsetRecord


class TopicRecord(Model):
    """A topic a text speaks about."""

    code: str
    label: str
    opinion: Opinion


class DocumentRecord(Model):
    """An analysed document."""

    id: Identifier
    external_id: str
    lang: str
    type: str
    content: str
    metadata: list[MetadataBody]
    state: Literal["ANALYZED"]
    enrichments: list[EnrichmentRecord]
    topics: list[TopicRecord]
    classifiers: dict[str, str]
    analysis_version: str
    created_at: Timestamp
    updated_at: Timestamp
    last_opinion_enrichment: Timestamp


class ErasureRecord(Model):
    """An erased external id."""

    external_id: str
    erased_at: Timestamp


class WebhookBody(Model):
    """An address to be told of an event; without `datasetId`, of that event in every dataset."""

    url: str = Field(max_length=2048, description="http:// or https://, outside private and special ranges.")
    event: Literal["ENDED_IMPORT"]
    dataset_id: Identifier | None = None


class WebhookRecord(Model):
    """A registered webhook."""

    id: Identifier
    url: str
    event: Literal["ENDED_IMPORT"]
    dataset_id: Identifier | None
    state: Literal["ACTIVE", "DISABLED"]
    failing_since: Timestamp | None = Field(description="Of the first failed attempt since one succeeded.")
    created_at: Timestamp
    updated_at: Timestamp


class WebhookWithSecret(WebhookRecord):
    """A webhook with the secret that signs its notifications, which is shown this once."""

    secret: str = Field(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])


class DeliveryRecord(Model):
    """A notification and what became of it. `id` is its `webhook-id`, the same in every attempt."""

    id: Identifier
    webhook_id: Identifier
    import_id: Identifier
    state: Literal["PENDING", "DELIVERED", "FAILED"]
    attempts: int
    last_status: int | None = Field(description="The status of the receiver's last answer; null: none came.")
    last_error: str | None
    created_at: Timestamp
    updated_at: Timestamp
    next_attempt_at: Timestamp | None = Field(None, description="Absent once the notification has ended.")
    ended_at: Timestamp | None = Field(None, description="Absent until the notification has ended.")


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


class QueryBody(BaseModel):
    """A condition {field, operator, value}, or a group {operator: AND or OR, criteria}; empty: everything."""

    field: str | None = None
    operator: str | None = Field(None, description="EQ, NEQ, IN, NIN, GT, GTE, LT or LTE; of a group AND or OR.")
    value: Any = None
    opinion: Opinion | None = Field(None, description="Narrows a condition on TERMS or TOPICS.")
    criteria: list[dict[str, Any]] | None = Field(None, description="The conditions and groups of a group.")


class TermRecord(BaseModel):
    """A term and the number of documents it occurs in."""

    id: str = Field(examples=["customer_service__NOUN__1"])
    label: str = Field(examples=["customer service"])
    occurrences: int


class PeriodBody(BaseModel):
    """A period on a Datetime field, both bounds inclusive."""

    field: str
    from_: Timestamp = Field(alias="from")
    to: Timestamp


class RangeBody(BaseModel):
    """A named range: min inclusive, max exclusive."""

    name: str
    min: float | None = None
    max: float | None = None


class DimensionBody(BaseModel):
    """A dimension of an aggregation."""

    field: str
    group: str = Field(description="DISTINCT, RANGE, NPS_GROUP, YEAR, MONTH, WEEK, DAY or POLARITY_*.")
    limit: int | None = Field(None, ge=1, le=100)
    ranges: list[RangeBody] | None = None


class AggregationBody(BaseModel):
    """An aggregation request."""

    field: str
    type: Literal["COUNT", "SUM", "AVG", "MAX", "MIN", "NPS", "CSAT", "CES"] = "COUNT"
    query: dict[str, Any] | None = Field(None, description="{field, operator, value} or {operator, criteria}.")
    periods: list[PeriodBody] = []
    dimensions: list[DimensionBody] = []


class Figure(BaseModel):
    """An aggregation value and the number of documents behind it."""

    value: float | None
    volume: int


class DimensionValue(BaseModel):
    """The value of one dimension of an item; `id` and `polarity` for TERMS and TOPICS."""

    field: str
    value: str
    id: str | None = None
    polarity: Literal["neutral", "positive", "negative"] | None = None


class Combination(Figure):
    """The figure of one combination of dimension values."""

    dimensions: list[DimensionValue]


class PeriodRecord(BaseModel):
    """The answer for one period."""

    period: dict[str, Any]
    total: Figure
    values: list[Combination]


class AggregationRecord(BaseModel):
    """An aggregation reply."""

    field: str
    type: str
    periods: list[PeriodRecord]


class InsightBody(Model):
    """What every insight asks for."""

    by: Literal["TERMS", "TOPICS"] = "TERMS"
    opinion: Opinion | None = None
    query: dict[str, Any] | None = None
    limit: int = Field(20, ge=1, le=100)
    minimum_volume: int | None = Field(None, ge=2, description="Fewer documents than this are not judged.")


class DriversBody(InsightBody):
    """Which score is to be explained."""

    field: str = Field(description="An NPS, CSAT or CES metadata.<code>.")
    period: PeriodBody | None = None


class ChangesBody(InsightBody):
    """Which two periods are compared."""

    periods: list[PeriodBody] = Field(min_length=2, max_length=2, description="The earlier first.")


class AssociationsBody(InsightBody):
    """What others go together with."""

    id: str = Field(description="A term id or a topic code.")


class InsightRecord(Model):
    """An insight: its method in a sentence, and the items found, the strongest first."""

    by: Literal["TERMS", "TOPICS"]
    method: str
    minimum_volume: int
    items: list[dict[str, Any]]
