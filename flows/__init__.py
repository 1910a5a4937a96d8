"""The Prefect flows: load feedback, collect imports, sweep what is open, ask for reports, fill the past."""
