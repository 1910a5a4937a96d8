"""The schema's history; `feedback.store.schema` runs it."""
