"""SQLAlchemy Core on SQLite and PostgreSQL: one schema, the only truth, the only thing to back up."""
