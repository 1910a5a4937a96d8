"""What every route needs of the running service."""

from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import Engine

from feedback.aggregation import Aggregator
from feedback.settings import Settings


class Service:
    """The settings, the database and the aggregator of one API process."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.aggregator = Aggregator(engine, cache_dir=settings.segment_cache, cache_bytes=settings.cache_bytes)


def get_service(request: Request) -> Service:
    """The service an app was made for."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(get_service)]
