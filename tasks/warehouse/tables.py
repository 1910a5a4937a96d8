"""The tables of the warehouse; in PostgreSQL they live in a schema named `warehouse`."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from tasks.warehouse.types import Instant, Json

SCHEMA = "warehouse"
metadata = MetaData(schema=SCHEMA)

documents = Table(
    "documents",
    metadata,
    Column("dataset_id", String(24), nullable=False),
    Column("external_id", String(512), nullable=False),
    Column("id", String(24), nullable=False),
    Column("feed", String(48), nullable=False),
    Column("lang", String(35), nullable=False),
    Column("type", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("classifiers", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("last_opinion_enrichment", Instant),
    Column("analysis_version", String(64)),
    Column("_import_id", String(24), nullable=False),
    Column("_source_file", Text),
    Column("_source_line", BigInteger),
    PrimaryKeyConstraint("dataset_id", "external_id"),
)

enrichments = Table(
    "enrichments",
    metadata,
    Column("dataset_id", String(24), nullable=False),
    Column("external_id", String(512), nullable=False),
    Column("position", Integer, nullable=False),
    Column("term", String(512), nullable=False),
    Column("label", String(512), nullable=False),
    Column("opinion", String(8), nullable=False),
    Column("offset_begin", Integer, nullable=False),
    Column("offset_end", Integer, nullable=False),
    Column("surface", Text, nullable=False),
    PrimaryKeyConstraint("dataset_id", "external_id", "position"),
)
Index("enrichments_by_term", enrichments.c.dataset_id, enrichments.c.term, enrichments.c.opinion)

document_topics = Table(
    "document_topics",
    metadata,
    Column("dataset_id", String(24), nullable=False),
    Column("external_id", String(512), nullable=False),
    Column("position", Integer, nullable=False),
    Column("code", String(64), nullable=False),
    Column("label", String(512), nullable=False),
    Column("opinion", String(8), nullable=False),
    PrimaryKeyConstraint("dataset_id", "external_id", "position"),
)

refused_documents = Table(
    "refused_documents",
    metadata,
    Column("dataset_id", String(24), nullable=False),
    Column("import_id", String(24), nullable=False),
    Column("position", Integer, nullable=False),
    Column("external_id", String(512)),
    Column("code", String(64), nullable=False),
    Column("description", Text, nullable=False),
    Column("_source_file", Text),
    Column("_source_line", BigInteger),
    PrimaryKeyConstraint("import_id", "position"),
)

erasures = Table(
    "erasures",
    metadata,
    Column("dataset_id", String(24), nullable=False),
    Column("external_id", String(512), nullable=False),
    Column("erased_at", Instant, nullable=False),
    PrimaryKeyConstraint("dataset_id", "external_id"),
)

loads = Table(
    "loads",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("feed", String(48), nullable=False),
    Column("dataset_id", String(24), nullable=False),
    Column("source_file", Text, nullable=False),
    Column("file_hash", String(64), nullable=False),
    Column("partition", String(64), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("accepted", BigInteger, nullable=False),
    Column("rejected", BigInteger, nullable=False),
    Column("quarantine", Text),
    Column("batches", Integer, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("sent_at", Instant),
)

import_ledger = Table(
    "import_ledger",
    metadata,
    Column("idempotency_key", String(64), primary_key=True),
    Column("load_id", String(24), nullable=False),
    Column("feed", String(48), nullable=False),
    Column("dataset_id", String(24), nullable=False),
    Column("partition", String(64), nullable=False),
    Column("file_hash", String(64), nullable=False),
    Column("source_file", Text, nullable=False),
    Column("batch", Integer, nullable=False),
    Column("document_count", Integer, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("import_id", String(24)),
    Column("state", String(16), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("posted_at", Instant),
    Column("deadline", Instant),
    Column("event_at", Instant),
    Column("collected_at", Instant),
    Column("listed", Integer),
    Column("failed", Integer),
    Column("superseded", Integer),
    Column("erased", Integer),
)
Index("import_ledger_by_import", import_ledger.c.import_id)
Index("import_ledger_by_load", import_ledger.c.load_id)

reports = Table(
    "reports",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("report", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("dataset_id", String(24), nullable=False),
    Column("as_of", Instant, nullable=False),
    Column("period_from", Instant),
    Column("period_to", Instant),
    Column("page", Text, nullable=False),
    Column("made_at", Instant, nullable=False),
    Column("sentences", Text),
)

report_values = Table(
    "report_values",
    metadata,
    Column("report_id", String(32), nullable=False),
    Column("question", String(64), nullable=False),
    Column("position", Integer, nullable=False),
    Column("period_from", Instant),
    Column("period_to", Instant),
    Column("dimension_1", Text),
    Column("dimension_2", Text),
    Column("dimension_3", Text),
    Column("dimension_4", Text),
    Column("polarity", String(8)),
    Column("value", Float),
    Column("volume", BigInteger, nullable=False),
    PrimaryKeyConstraint("report_id", "question", "position"),
)

migrations = Table(
    "migrations",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("applied_at", Instant, nullable=False),
)
