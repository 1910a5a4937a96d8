"""The schema of the service, one for SQLite and PostgreSQL.

Times are epoch milliseconds (BIGINT), ids 24 hex characters, JSON is stored as bytes that msgspec writes and reads.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# A surrogate key that SQLite turns into its rowid and PostgreSQL into an identity column.
Surrogate = BigInteger().with_variant(Integer, "sqlite")
Id = String(24)

# One row: the identity of this database, part of every name in the local segment cache.
instance = Table(
    "instance",
    metadata,
    Column("id", Id, primary_key=True),
    Column("created_at", BigInteger, nullable=False),
)

organisations = Table(
    "organisations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)

clients = Table(
    "clients",
    metadata,
    Column("id", Id, primary_key=True),
    Column("organisation_id", ForeignKey("organisations.id"), nullable=False, index=True),
    Column("scope", String(8), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

client_secrets = Table(
    "client_secrets",
    metadata,
    Column("id", Surrogate, primary_key=True),
    Column("client_id", ForeignKey("clients.id"), nullable=False, index=True),
    Column("secret_hash", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

tokens = Table(
    "tokens",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("client_id", ForeignKey("clients.id"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
    Column("revoked_at", BigInteger),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", Id, primary_key=True),
    Column("organisation_id", ForeignKey("organisations.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("lang", String(35), nullable=False),
    Column("type", String(64), nullable=False),
    Column("industry", String(64), nullable=False),
    Column("masking", Boolean, nullable=False, default=False),
    Column("metadata_definitions", LargeBinary, nullable=False),
    Column("state", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    # Bumped, and so locked, by every transaction that changes the dataset's documents or segments.
    Column("generation", BigInteger, nullable=False, default=0),
    # The place of the last accepted import or erasure in the dataset's order of acceptance.
    Column("last_seq", BigInteger, nullable=False, default=0),
    UniqueConstraint("organisation_id", "name"),
)

monthly_documents = Table(
    "monthly_documents",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("month", String(7), primary_key=True),
    Column("count", BigInteger, nullable=False),
)

imports = Table(
    "imports",
    metadata,
    Column("id", Id, primary_key=True),
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("client_id", Id),
    Column("kind", String(16), nullable=False, default="DOCUMENTS"),
    # The order of acceptance within the dataset: a later import wins, whichever is processed first.
    Column("seq", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("processed", BigInteger, nullable=False, default=0),
    Column("failed", BigInteger, nullable=False, default=0),
    Column("superseded", BigInteger, nullable=False, default=0),
    Column("erased", BigInteger, nullable=False, default=0),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The cursor: the index of the first document that no committed chunk has dealt with.
    Column("next_index", BigInteger, nullable=False, default=0),
    # The claim: who works on it, until when, and the fencing number every commit must still hold.
    Column("claimed_by", Text),
    Column("claim_until", BigInteger),
    Column("epoch", BigInteger, nullable=False, default=0),
    # When a worker last took a chunk of it, so that several imports get their turn.
    Column("served_at", BigInteger, nullable=False, default=0),
    Column("failure", Text),
    Index("ix_imports_open", "state", "served_at"),
)

# The raw documents of an import that is not finished: zstd-compressed blocks of at most 256 documents or 256 KiB.
import_blocks = Table(
    "import_blocks",
    metadata,
    Column("import_id", ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("first_index", BigInteger, primary_key=True),
    Column("documents", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)

# Attempts of a chunk, recorded before it runs, so that a text that kills its process is found by bisection.
chunk_attempts = Table(
    "chunk_attempts",
    metadata,
    Column("import_id", ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("first_index", BigInteger, primary_key=True),
    Column("documents", Integer, primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("started_at", BigInteger, nullable=False),
)

import_errors = Table(
    "import_errors",
    metadata,
    Column("import_id", ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("document_index", BigInteger, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("code", String(64), nullable=False),
    Column("description", Text, nullable=False),
    Column("field", Text),
    Column("external_id", Text, index=True),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("client_id", Id, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("request_hash", String(64), nullable=False),
    # NULL while the first request is in flight.
    Column("status", Integer),
    Column("reply", LargeBinary),
    Column("created_at", BigInteger, nullable=False, index=True),
)

documents = Table(
    "documents",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("external_id", Text, primary_key=True),
    # Nothing is looked up by it, and its randomness alone makes it unique: an index would cost more than it tells.
    Column("id", Id, nullable=False),
    Column("import_id", Id, nullable=False),
    Column("import_seq", BigInteger, nullable=False),
    Column("document_index", BigInteger, nullable=False),
    Column("lang", String(35), nullable=False),
    Column("type", String(64), nullable=False),
    Column("content", Text, nullable=False),
    # JSON: [{code, value}] as sent.
    Column("metadata", LargeBinary, nullable=False),
    # Empty since `found` holds them. JSON: [{term, opinion, offset}]; [{code, label, opinion}]; {code: value}.
    Column("enrichments", LargeBinary, nullable=False),
    Column("topics", LargeBinary, nullable=False),
    Column("classifiers", LargeBinary, nullable=False),
    Column("analysis_version", String(32), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("analysed_at", BigInteger, nullable=False),
    # The run of rows it was written in and its row there, which never change; `runs` says where that is now.
    Column("run_id", BigInteger, nullable=False),
    Column("run_row", Integer, nullable=False),
    # The last re-analysis that changed what was found; NULL where none did since the document was imported.
    Column("reanalysis_id", Id),
    # What the analysis found, packed by `domain.findings`; NULL where an earlier release wrote it to the three above.
    Column("found", LargeBinary),
    Index("ix_documents_import", "import_id", "document_index"),
    Index(
        "ix_documents_reanalysis",
        "reanalysis_id",
        "external_id",
        sqlite_where=text("reanalysis_id IS NOT NULL"),
        postgresql_where=text("reanalysis_id IS NOT NULL"),
    ),
)

# What a re-analysis changed: a term, topic or classifier gained, lost or judged otherwise, and how often.
reanalysis_changes = Table(
    "reanalysis_changes",
    metadata,
    Column("import_id", ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("change", String(24), primary_key=True),
    Column("value", Text, primary_key=True),
    Column("before", Text, primary_key=True),
    Column("after", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

# Erased external ids, with their place in the order of acceptance: an import accepted before cannot bring one back.
erasures = Table(
    "erasures",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("external_id", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("erased_at", BigInteger, nullable=False),
    Index("ix_erasures_dataset_id_erased_at", "dataset_id", "erased_at"),
)

# Term codes of a dataset, allocated in the transaction of the chunk that first saw the term.
terms = Table(
    "terms",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("code", Integer, primary_key=True),
    Column("term", Text, nullable=False),
    Column("label", Text, nullable=False),
    UniqueConstraint("dataset_id", "term"),
)

# Codes of every other string value: field is `lang`, `type`, `TOPICS`, `metadata.<code>` or `classifier.<code>`.
categories = Table(
    "categories",
    metadata,
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
    Column("field", String(80), primary_key=True),
    Column("code", Integer, primary_key=True),
    Column("value", Text, nullable=False),
    Column("label", Text, nullable=False),
    Index("ix_categories_field_value", "dataset_id", "field", "value").ddl_if(dialect="sqlite"),
    # A value may be longer than what a B-tree of PostgreSQL takes.
    Index("ix_categories_value", "value", postgresql_using="hash").ddl_if(dialect="postgresql"),
)

# Immutable column segments of at most 65,536 documents.
segments = Table(
    "segments",
    metadata,
    Column("id", Surrogate, primary_key=True),
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("documents", Integer, nullable=False),
    Column("dead", Integer, nullable=False, default=0),
    Column("min_created", BigInteger, nullable=False),
    Column("max_created", BigInteger, nullable=False),
    Column("checksum", String(32), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    # When the first of the documents that were erased, and whose rows are still in the payload, was.
    Column("erased_at", BigInteger),
    # A segment's name must never be given twice, or a cache would show the old one's columns.
    sqlite_autoincrement=True,
)

# Rows that were written together, by the id of the segment they were written as, and where compaction has put them: the
# living ones stand in their order from `first_row` on.
runs = Table(
    "runs",
    metadata,
    Column("id", Surrogate, primary_key=True, autoincrement=False),
    Column("segment_id", ForeignKey("segments.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("first_row", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    # A bit for each row that compaction has left out; NULL where it left out none.
    Column("dropped", LargeBinary),
)

# Rows of segments whose documents were replaced or erased.
tombstones = Table(
    "tombstones",
    metadata,
    Column("segment_id", ForeignKey("segments.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("dataset_id", Id, nullable=False, index=True),
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("organisation_id", ForeignKey("organisations.id"), nullable=False, index=True),
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE")),
    Column("url", Text, nullable=False),
    Column("event", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("secret", Text, nullable=False),
    # While a rotation is under way both secrets sign.
    Column("previous_secret", Text),
    Column("previous_secret_until", BigInteger),
    Column("failing_since", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("import_id", Id, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", BigInteger, nullable=False),
    Column("claimed_by", Text),
    Column("claim_until", BigInteger),
    Column("last_status", Integer),
    Column("last_error", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Index("ix_deliveries_due", "state", "next_at"),
)

# A dataset's own topics, opinion entries and classifiers, as the JSON the client sent.
own_entries = Table(
    "own_entries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("dataset_id", ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("code", String(64), nullable=False),
    Column("definition", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("dataset_id", "kind", "code"),
)
