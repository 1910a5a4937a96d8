"""From questions to a page people read: asked of the service, kept in the warehouse, drawn for a director."""
