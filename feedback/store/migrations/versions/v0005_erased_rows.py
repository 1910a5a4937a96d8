"""Segments know since when they hold rows of erased documents; errors of imports are found by external id."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rows that are dead already may be those of erased documents: they have waited long enough."""
    op.add_column("segments", sa.Column("erased_at", sa.BigInteger(), nullable=True))
    op.execute("UPDATE segments SET erased_at = 0 WHERE dead > 0")
    op.create_index(op.f("ix_import_errors_external_id"), "import_errors", ["external_id"])


def downgrade() -> None:
    """Forgets since when."""
    op.drop_index(op.f("ix_import_errors_external_id"), table_name="import_errors")
    op.drop_column("segments", "erased_at")
