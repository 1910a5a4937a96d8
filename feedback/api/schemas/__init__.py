"""The shapes of requests and replies as the OpenAPI document shows them; the rules themselves stand in `domain`."""
