"""Frozen types and rules of the service, without any input or output."""
