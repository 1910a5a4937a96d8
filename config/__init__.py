"""Settings, feeds and reports: what a user of the pipeline writes, and the models that check it."""
