"""The HTTP interface: one module a resource, and the only place that knows status codes."""
