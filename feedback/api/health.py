"""Whether the process lives, and whether it can do its work; neither needs a token."""

from fastapi import APIRouter, Response
from sqlalchemy import select

from feedback.api.pages import json_reply
from feedback.api.service import ServiceDep
from feedback.store.engine import snapshot
from feedback.store.tables import instance

router = APIRouter(tags=["health"], include_in_schema=False)


@router.get("/livez")
async def livez() -> Response:
    """The process answers; the database is not asked."""
    return json_reply({"status": "ok"})


@router.get("/readyz")
def readyz(service: ServiceDep) -> Response:
    """The database answers and has this version's schema."""
    with snapshot(service.engine) as connection, connection.begin():
        connection.execute(select(instance.c.id)).one()
    return json_reply({"status": "ok"})
