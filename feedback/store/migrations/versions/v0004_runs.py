"""Documents name the run they were written in, so that merging segments leaves them alone; their id has no index."""

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_CHANGED = sa.text("reanalysis_id IS NOT NULL")
_KEPT = (
    "dataset_id, external_id, id, import_id, import_seq, document_index, lang, type, content, metadata, enrichments,"
    " topics, classifiers, analysis_version, created_at, updated_at, analysed_at, reanalysis_id"
)


def upgrade() -> None:
    """Every segment becomes a run, whose rows are where they were."""
    op.create_table(
        "runs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("segment_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("first_row", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["segment_id"], ["segments.id"], name=op.f("fk_runs_segment_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_segment_id"), "runs", ["segment_id"])
    op.execute("INSERT INTO runs (id, segment_id, first_row, documents) SELECT id, id, 0, documents FROM segments")
    if op.get_context().dialect.name == "sqlite":
        _rewrite("segment_id, segment_row", "run_id, run_row", [])
        return
    op.drop_index("ix_documents_segment", table_name="documents")
    op.drop_constraint(op.f("uq_documents_id"), "documents", type_="unique")
    op.alter_column("documents", "segment_id", new_column_name="run_id")
    op.alter_column("documents", "segment_row", new_column_name="run_row")


def downgrade() -> None:
    """Points every document at its row in a segment again."""
    op.create_index("ix_documents_segment", "documents", ["run_id", "run_row"])
    _point_at_segments(op.get_bind())
    op.drop_table("runs")
    if op.get_context().dialect.name == "sqlite":
        unique = sa.UniqueConstraint("id", name=op.f("uq_documents_id"))
        _rewrite("run_id, run_row", "segment_id, segment_row", [unique])
        op.create_index("ix_documents_segment", "documents", ["segment_id", "segment_row"])
        return
    op.alter_column("documents", "run_id", new_column_name="segment_id")
    op.alter_column("documents", "run_row", new_column_name="segment_row")
    op.create_unique_constraint(op.f("uq_documents_id"), "documents", ["id"])


def _rewrite(before: str, after: str, constraints: list[sa.UniqueConstraint]) -> None:
    """Copies the table: SQLite takes a constraint away, or adds one, in no other way."""
    op.create_table(
        "documents_after",
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
        *[sa.Column(name, kind, nullable=False) for name, kind in zip(after.split(", "), _TYPES, strict=True)],
        sa.Column("reanalysis_id", sa.String(length=24), nullable=True),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_documents_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "external_id", name=op.f("pk_documents")),
        *constraints,
    )
    op.execute(
        f"INSERT INTO documents_after ({_KEPT}, {after}) SELECT {_KEPT}, {before} FROM documents ORDER BY rowid"  # noqa: S608
    )
    op.drop_table("documents")
    op.rename_table("documents_after", "documents")
    op.create_index("ix_documents_import", "documents", ["import_id", "document_index"])
    op.create_index("ix_documents_reanalysis", "documents", ["reanalysis_id", "external_id"], sqlite_where=_CHANGED)


_TYPES = (sa.BigInteger(), sa.Integer())


def _point_at_segments(connection: sa.Connection) -> None:
    place = sa.text(
        "UPDATE documents SET run_id = :target, run_row = :to_row WHERE run_id = :run AND run_row = :from_row"
    )
    found = connection.execute(sa.text("SELECT id, segment_id, first_row, documents, dropped FROM runs ORDER BY id"))
    # A segment is younger than all that is merged into it: no run that is still to be read has its id by then.
    for run, segment, first, documents, dropped in found.all()[::-1]:
        bits = np.frombuffer(dropped or bytes(-(-documents // 8)), np.uint8)
        living = np.flatnonzero(np.unpackbits(bits, count=documents) == 0).tolist()
        rows = [
            {"run": run, "from_row": row, "target": segment, "to_row": to_row}
            for to_row, row in enumerate(living, first)
            if (segment, to_row) != (run, row)
        ]
        if rows:
            connection.execute(place, rows)
