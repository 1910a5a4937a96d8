"""What every step needs at hand: the settings, the service and the warehouse, opened once a flow run."""

from collections.abc import Iterator
from contextlib import contextmanager

from config.definitions import DefinitionError, Problem
from config.settings import BUNDLED, PREFIX, Settings
from feedback.client import FeedbackClient
from tasks.warehouse import Warehouse, open_warehouse


class Connections:
    """The settings with what they lead to. The client connects when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.feed_folders = [settings.feeds_dir, BUNDLED / "feeds"]
        self.report_folders = [settings.definitions_dir, BUNDLED / "reports"]
        self._client: FeedbackClient | None = None
        self._warehouse: Warehouse | None = None

    @property
    def client(self) -> FeedbackClient:
        """The service's client. Raises `DefinitionError` when there are no credentials."""
        if self._client is None:
            settings = self.settings
            secret = settings.client_secret.get_secret_value()
            if not (settings.client_id and secret):
                advice = "is not set; `feedback clients create --organisation NAME --json` makes a client"
                missing = [
                    name for name, value in (("CLIENT_ID", settings.client_id), ("CLIENT_SECRET", secret)) if not value
                ]
                raise DefinitionError("environment", [Problem(PREFIX + name, advice) for name in missing])
            self._client = FeedbackClient(
                settings.service_url,
                settings.client_id,
                secret,
                timeout=settings.request_timeout,
                patience=settings.patience,
            )
        return self._client

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse, opened."""
        if self._warehouse is None:
            self._warehouse = open_warehouse(self.settings.warehouse_url)
        return self._warehouse

    def close(self) -> None:
        """Close what was opened."""
        if self._client is not None:
            self._client.close()
        if self._warehouse is not None:
            self._warehouse.close()


@contextmanager
def open_connections(settings: Settings) -> Iterator[Connections]:
    """Connections that are closed at the end."""
    connections = Connections(settings)
    try:
        yield connections
    finally:
        connections.close()
