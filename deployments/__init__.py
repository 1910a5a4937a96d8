"""What runs the pipeline for good: Prefect's deployments and the receiver of notifications."""
