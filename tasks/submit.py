"""Posts one batch so that a crash at any moment loses nothing and doubles nothing."""

from datetime import timedelta

from feedback.client import FeedbackClient
from tasks.extract.extraction import read_batch
from tasks.extract.spool import Batch
from tasks.warehouse import Warehouse
from tasks.warehouse.ledger import Load, announce, complete


def submit_batch(client: FeedbackClient, warehouse: Warehouse, load: Load, batch: Batch, deadline: timedelta) -> str:
    """Post a batch unless a run before this one did; the import's id. The ledger knows of it before and after."""
    body, manifest = read_batch(batch)
    key = load.key(batch.number, batch.body_hash)
    import_id = announce(warehouse, load, batch.number, key, manifest)
    if import_id is None:
        answer = client.create_import(load.dataset_id, body, idempotency_key=key)
        complete(warehouse, key, answer, deadline)
        import_id = answer.id
    return import_id
