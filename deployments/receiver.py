"""Hears from the service that an import has ended and starts `collect-import`: a hint only, the ledger is the truth."""

import os
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from standardwebhooks import Webhook, WebhookVerificationError

from config.settings import Settings, load_settings
from tasks.receiver import EVENT, read_secret
from tasks.warehouse import open_warehouse
from tasks.warehouse.ledger import note_event, posting

DEPLOYMENT = "collect-import/collect-import"
LARGEST_BODY = 65_536

Starter = Callable[[str, str], None]


class Data(msgspec.Struct, rename="camel"):
    """The part of a notification that matters here."""

    dataset_id: str
    import_id: str


class Notification(msgspec.Struct):
    """A notification as the service sends it; what else it holds is of no interest."""

    type: str
    data: Data


def start_collecting(dataset_id: str, import_id: str) -> None:
    """Create a run of `collect-import` over Prefect's REST API; the same import never gets a second run."""
    key = os.environ.get("PREFECT_API_KEY", "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=os.environ["PREFECT_API_URL"].rstrip("/"), headers=headers, timeout=10) as prefect:
        found = prefect.get(f"/deployments/name/{DEPLOYMENT}").raise_for_status().json()
        body = {
            "parameters": {"dataset_id": dataset_id, "import_id": import_id},
            "idempotency_key": f"collect:{import_id}",
            "state": {"type": "SCHEDULED"},
        }
        prefect.post(f"/deployments/{found['id']}/create_flow_run", json=body).raise_for_status()


def make_app(settings: Settings | None = None, start: Starter = start_collecting) -> FastAPI:
    """The receiver: POST /events for the service, GET /livez for whoever watches over it."""
    chosen = settings or load_settings()
    warehouse = open_warehouse(chosen.warehouse_url)
    app = FastAPI(title="Receiver of ended imports", docs_url=None, redoc_url=None, openapi_url=None)

    def hear(body: bytes, headers: dict[str, str]) -> int:
        secret = read_secret(chosen)
        if not secret:
            return 503
        try:
            Webhook(secret).verify(body, headers)
            told = msgspec.json.decode(body, type=Notification)
        except (WebhookVerificationError, msgspec.DecodeError, ValueError):
            return 400
        if told.type != EVENT:
            return 204
        # Asked first: a post that is noted in between is found by its import's id.
        awaited = posting(warehouse, told.data.dataset_id)
        if not note_event(warehouse, told.data.import_id) and not awaited:
            # Another client of the organisation made this import: every client's imports are told of.
            return 204
        try:
            start(told.data.dataset_id, told.data.import_id)
        except (httpx.HTTPError, KeyError):
            # The service tells again later; should it give up, the sweep finds the import in the ledger.
            return 503
        return 204

    @app.post("/events")
    async def event(request: Request) -> Response:
        # Whoever reaches this address may send: no more is held of a body than a notification takes.
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                return Response(status_code=413)
        headers: dict[str, Any] = dict(request.headers)
        return Response(status_code=await run_in_threadpool(hear, body, headers))

    @app.get("/livez")
    def alive() -> dict[str, str]:
        return {"status": "ok"}

    return app
