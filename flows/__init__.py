"""The Prefect flows: load feedback, collect imports, sweep what is open, ask for reports, fill the past."""

import os

# Prefect reads these when it is first imported, which happens after this module. What a user has set stays.
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
# Its temporary server takes up to 15 s to start on a small machine, of 20 s that it is given.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
