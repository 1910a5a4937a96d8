"""The code of a value is looked up by an index: a field may have as many values as there are documents."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the index; a value may be longer than what a B-tree of PostgreSQL takes, so there it is one of hashes."""
    if op.get_context().dialect.name == "postgresql":
        op.create_index("ix_categories_value", "categories", ["value"], postgresql_using="hash")
    else:
        op.create_index("ix_categories_field_value", "categories", ["dataset_id", "field", "value"])


def downgrade() -> None:
    """Takes it away again."""
    if op.get_context().dialect.name == "postgresql":
        op.drop_index("ix_categories_value", table_name="categories")
    else:
        op.drop_index("ix_categories_field_value", table_name="categories")
