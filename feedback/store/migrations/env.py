"""Runs the steps on the connection that `feedback.store.schema` hands over, inside its transaction."""

from alembic import context

from feedback.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
