"""What the analysis found is one packed column; documents that are there keep theirs as it was written."""

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ROWS = 1000
_documents = sa.table(
    "documents",
    *(sa.column(name) for name in ("dataset_id", "external_id", "enrichments", "topics", "classifiers", "found")),
)


def upgrade() -> None:
    """Adds the column."""
    op.add_column("documents", sa.Column("found", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Writes what is packed as JSON again."""
    connection = op.get_bind()
    packed = sa.select(_documents).where(_documents.c.found.is_not(None)).limit(_ROWS)
    while rows := connection.execute(packed).all():
        connection.execute(
            _WRITE, [{"dataset": r.dataset_id, "which": r.external_id, **_as_json(r.found)} for r in rows]
        )
    op.drop_column("documents", "found")


def _as_json(found: bytes) -> dict[str, bytes]:
    enrichments, topics, classifiers = msgspec.msgpack.decode(found)
    return {
        "new_enrichments": msgspec.json.encode(
            [{"term": t, "opinion": o, "offset": {"begin": b, "end": e}} for t, o, (b, e) in enrichments]
        ),
        "new_topics": msgspec.json.encode([{"code": c, "label": name, "opinion": o} for c, name, o in topics]),
        "new_classifiers": msgspec.json.encode(classifiers),
    }


_WRITE = (
    sa.update(_documents)
    .where(_documents.c.dataset_id == sa.bindparam("dataset"), _documents.c.external_id == sa.bindparam("which"))
    .values(
        enrichments=sa.bindparam("new_enrichments"),
        topics=sa.bindparam("new_topics"),
        classifiers=sa.bindparam("new_classifiers"),
        found=None,
    )
)
