"""One script a fault: each breaks the running service on purpose, over and over, and counts what was lost by it."""
