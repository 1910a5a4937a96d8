"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything."""
    op.create_table(
        "idempotency_keys",
        sa.Column("client_id", sa.String(length=24), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("reply", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("client_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"], unique=False)
    op.create_table(
        "instance",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instance")),
    )
    op.create_table(
        "organisations",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organisations")),
        sa.UniqueConstraint("name", name=op.f("uq_organisations_name")),
    )
    op.create_table(
        "clients",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("organisation_id", sa.String(length=24), nullable=False),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_clients_organisation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clients")),
    )
    op.create_index(op.f("ix_clients_organisation_id"), "clients", ["organisation_id"], unique=False)
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("organisation_id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(length=35), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("industry", sa.String(length=64), nullable=False),
        sa.Column("masking", sa.Boolean(), nullable=False),
        sa.Column("metadata_definitions", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_datasets_organisation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sa.UniqueConstraint("organisation_id", "name", name=op.f("uq_datasets_organisation_id_name")),
    )
    op.create_table(
        "categories",
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("field", sa.String(length=80), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_categories_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "field", "code", name=op.f("pk_categories")),
    )
    op.create_table(
        "client_secrets",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("client_id", sa.String(length=24), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_client_secrets_client_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_client_secrets")),
    )
    op.create_index(op.f("ix_client_secrets_client_id"), "client_secrets", ["client_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("import_seq", sa.BigInteger(), nullable=False),
        sa.Column("document_index", sa.BigInteger(), nullable=False),
        sa.Column("lang", sa.String(length=35), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", sa.LargeBinary(), nullable=False),
        sa.Column("enrichments", sa.LargeBinary(), nullable=False),
        sa.Column("topics", sa.LargeBinary(), nullable=False),
        sa.Column("classifiers", sa.LargeBinary(), nullable=False),
        sa.Column("analysis_version", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("analysed_at", sa.BigInteger(), nullable=False),
        sa.Column("segment_id", sa.BigInteger(), nullable=False),
        sa.Column("segment_row", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_documents_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "external_id", name=op.f("pk_documents")),
        sa.UniqueConstraint("id", name=op.f("uq_documents_id")),
    )
    op.create_index("ix_documents_import", "documents", ["import_id", "document_index"], unique=False)
    op.create_index("ix_documents_segment", "documents", ["segment_id", "segment_row"], unique=False)
    op.create_table(
        "erasures",
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("erased_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_erasures_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "external_id", name=op.f("pk_erasures")),
    )
    op.create_index("ix_erasures_dataset_id_erased_at", "erasures", ["dataset_id", "erased_at"], unique=False)
    op.create_table(
        "imports",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("client_id", sa.String(length=24), nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("processed", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("superseded", sa.BigInteger(), nullable=False),
        sa.Column("erased", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("next_index", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claim_until", sa.BigInteger(), nullable=True),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("served_at", sa.BigInteger(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_imports_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
    )
    op.create_index(op.f("ix_imports_dataset_id"), "imports", ["dataset_id"], unique=False)
    op.create_index("ix_imports_open", "imports", ["state", "served_at"], unique=False)
    op.create_table(
        "monthly_documents",
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_monthly_documents_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "month", name=op.f("pk_monthly_documents")),
    )
    op.create_table(
        "own_entries",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("definition", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_own_entries_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_own_entries")),
        sa.UniqueConstraint("dataset_id", "kind", "code", name=op.f("uq_own_entries_dataset_id_kind_code")),
    )
    op.create_table(
        "segments",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("dead", sa.Integer(), nullable=False),
        sa.Column("min_created", sa.BigInteger(), nullable=False),
        sa.Column("max_created", sa.BigInteger(), nullable=False),
        sa.Column("checksum", sa.String(length=32), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_segments_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_segments")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_segments_dataset_id"), "segments", ["dataset_id"], unique=False)
    op.create_table(
        "terms",
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_terms_dataset_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("dataset_id", "code", name=op.f("pk_terms")),
        sa.UniqueConstraint("dataset_id", "term", name=op.f("uq_terms_dataset_id_term")),
    )
    op.create_table(
        "tokens",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("client_id", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_tokens_client_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_client_id"), "tokens", ["client_id"], unique=False)
    op.create_index(op.f("ix_tokens_expires_at"), "tokens", ["expires_at"], unique=False)
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("organisation_id", sa.String(length=24), nullable=False),
        sa.Column("dataset_id", sa.String(length=24), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("previous_secret", sa.Text(), nullable=True),
        sa.Column("previous_secret_until", sa.BigInteger(), nullable=True),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_webhooks_dataset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_webhooks_organisation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index(op.f("ix_webhooks_organisation_id"), "webhooks", ["organisation_id"], unique=False)
    op.create_table(
        "chunk_attempts",
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("first_index", sa.BigInteger(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name=op.f("fk_chunk_attempts_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "first_index", "documents", name=op.f("pk_chunk_attempts")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("webhook_id", sa.String(length=24), nullable=False),
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claim_until", sa.BigInteger(), nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name=op.f("fk_deliveries_webhook_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    op.create_index("ix_deliveries_due", "deliveries", ["state", "next_at"], unique=False)
    op.create_index(op.f("ix_deliveries_webhook_id"), "deliveries", ["webhook_id"], unique=False)
    op.create_table(
        "import_blocks",
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("first_index", sa.BigInteger(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name=op.f("fk_import_blocks_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "first_index", name=op.f("pk_import_blocks")),
    )
    op.create_table(
        "import_errors",
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("document_index", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name=op.f("fk_import_errors_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "document_index", "ordinal", name=op.f("pk_import_errors")),
    )
    op.create_table(
        "tombstones",
        sa.Column(
            "segment_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("row", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dataset_id", sa.String(length=24), nullable=False),
        sa.ForeignKeyConstraint(
            ["segment_id"], ["segments.id"], name=op.f("fk_tombstones_segment_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("segment_id", "row", name=op.f("pk_tombstones")),
    )
    op.create_index(op.f("ix_tombstones_dataset_id"), "tombstones", ["dataset_id"], unique=False)

    if op.get_bind().dialect.name == "postgresql":
        # Segments are compressed already; PostgreSQL would try again at every write.
        op.execute("ALTER TABLE segments ALTER COLUMN payload SET STORAGE EXTERNAL")


def downgrade() -> None:
    """Drops everything."""
    op.drop_index(op.f("ix_tombstones_dataset_id"), table_name="tombstones")
    op.drop_table("tombstones")
    op.drop_table("import_errors")
    op.drop_table("import_blocks")
    op.drop_index(op.f("ix_deliveries_webhook_id"), table_name="deliveries")
    op.drop_index("ix_deliveries_due", table_name="deliveries")
    op.drop_table("deliveries")
    op.drop_table("chunk_attempts")
    op.drop_index(op.f("ix_webhooks_organisation_id"), table_name="webhooks")
    op.drop_table("webhooks")
    op.drop_index(op.f("ix_tokens_expires_at"), table_name="tokens")
    op.drop_index(op.f("ix_tokens_client_id"), table_name="tokens")
    op.drop_table("tokens")
    op.drop_table("terms")
    op.drop_index(op.f("ix_segments_dataset_id"), table_name="segments")
    op.drop_table("segments")
    op.drop_table("own_entries")
    op.drop_table("monthly_documents")
    op.drop_index("ix_imports_open", table_name="imports")
    op.drop_index(op.f("ix_imports_dataset_id"), table_name="imports")
    op.drop_table("imports")
    op.drop_index("ix_erasures_dataset_id_erased_at", table_name="erasures")
    op.drop_table("erasures")
    op.drop_index("ix_documents_segment", table_name="documents")
    op.drop_index("ix_documents_import", table_name="documents")
    op.drop_table("documents")
    op.drop_index(op.f("ix_client_secrets_client_id"), table_name="client_secrets")
    op.drop_table("client_secrets")
    op.drop_table("categories")
    op.drop_table("datasets")
    op.drop_index(op.f("ix_clients_organisation_id"), table_name="clients")
    op.drop_table("clients")
    op.drop_table("organisations")
    op.drop_table("instance")
    op.drop_index(op.f("ix_idempotency_keys_created_at"), table_name="idempotency_keys")
    op.drop_table("idempotency_keys")
