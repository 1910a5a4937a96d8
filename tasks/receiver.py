"""Registers the receiver of notifications with the service, once, and keeps the secret that signs them."""

import os

from config.definitions import DefinitionError, Problem
from config.settings import PREFIX, Settings
from feedback.client import FeedbackClient

EVENT = "ENDED_IMPORT"


def register_receiver(client: FeedbackClient, settings: Settings, dataset_id: str) -> None:
    """See to it that the end of an import is told to the receiver. Raises `DefinitionError` when it cannot be.

    The service shows the secret once, so it is written to a file of its owner alone, where the receiver reads it.
    """
    url = settings.receiver_url
    if not url:
        raise DefinitionError("environment", [Problem(f"{PREFIX}RECEIVER_URL", "is not set; wait: webhook needs it")])
    known = [each for each in client.webhooks() if each.url == url and each.event == EVENT]
    if any(each.dataset_id in {None, dataset_id} for each in known):
        if not read_secret(settings):
            advice = (
                f"is not set and {settings.webhook_secret_file} is gone; delete the webhook, the next load renews it"
            )
            raise DefinitionError("environment", [Problem(f"{PREFIX}WEBHOOK_SECRET", advice)])
        return
    secret = client.create_webhook(url, EVENT).secret or ""
    file = settings.webhook_secret_file
    file.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(secret)


def read_secret(settings: Settings) -> str:
    """The secret that signs notifications; empty while none is known."""
    if given := settings.webhook_secret.get_secret_value():
        return given
    try:
        return settings.webhook_secret_file.read_text().strip()
    except FileNotFoundError:
        return ""
