"""The steps of the pipeline: plain functions, and in `steps` the Prefect tasks made of them."""
