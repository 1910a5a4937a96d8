"""What every route needs of the running service."""

from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from sqlalchemy import Engine

from feedback.settings import Settings

if TYPE_CHECKING:
    from feedback.aggregation import Aggregator


class Service:
    """The settings, the database and the aggregator of one API process."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        settings.spool_dir.mkdir(parents=True, exist_ok=True)

    @cached_property
    def aggregator(self) -> "Aggregator":
        """Answers questions over documents; made when the first is asked."""
        from feedback.aggregation import Aggregator  # noqa: PLC0415  Its kernel is loaded when it is needed.
        from feedback.aggregation.cluster import Cluster, Place  # noqa: PLC0415

        settings = self.settings
        place = Place(settings.url, settings.cache_dir, settings.cache_bytes)
        return Aggregator(
            self.engine,
            cache_dir=settings.segment_cache,
            cache_bytes=settings.cache_bytes,
            remember_bytes=settings.remember_bytes,
            cluster=Cluster(settings.dask_scheduler, place) if settings.dask_scheduler else None,
        )


def get_service(request: Request) -> Service:
    """The service an app was made for."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(get_service)]
