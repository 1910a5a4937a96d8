"""Documents know which re-analysis changed them last, and a re-analysis what it changed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_CHANGED = sa.text("reanalysis_id IS NOT NULL")


def upgrade() -> None:
    """Adds the column, its index and the table of changes."""
    op.add_column("documents", sa.Column("reanalysis_id", sa.String(length=24), nullable=True))
    op.create_index(
        "ix_documents_reanalysis",
        "documents",
        ["reanalysis_id", "external_id"],
        sqlite_where=_CHANGED,
        postgresql_where=_CHANGED,
    )
    op.create_table(
        "reanalysis_changes",
        sa.Column("import_id", sa.String(length=24), nullable=False),
        sa.Column("change", sa.String(length=24), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name=op.f("fk_reanalysis_changes_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "change", "value", "before", "after", name=op.f("pk_reanalysis_changes")),
    )


def downgrade() -> None:
    """Takes them away again."""
    op.drop_table("reanalysis_changes")
    op.drop_index("ix_documents_reanalysis", table_name="documents")
    op.drop_column("documents", "reanalysis_id")
