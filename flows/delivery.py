"""Sends what a report says to people through a notification block kept in Prefect: e-mail, Slack or any other."""

from typing import TYPE_CHECKING, Any

from prefect.blocks.abstract import NotificationBlock
from prefect.blocks.core import Block

from config.definitions import DefinitionError, Problem
from flows import mail

if TYPE_CHECKING:
    from flows.aggregation_report import ReportSummary


OURS = (mail.SmtpEmail,)  # Prefect finds a block's class only when its module was imported.


def load_block(slug: str) -> NotificationBlock:
    """The block of that slug. Raises `DefinitionError` where there is none, or where it cannot send."""
    try:
        # The same call awaits in an asynchronous context, which a flow of ours never is.
        block: Any = Block.load(slug)
    except ValueError as error:
        raise DefinitionError(f"notification block {slug}", [Problem("notify", str(error))]) from error
    if not isinstance(block, NotificationBlock):
        message = "is no notification block; make one in Prefect under Blocks, such as a Slack webhook"
        raise DefinitionError(f"notification block {slug}", [Problem("notify", message)])
    return block


def deliver(block: NotificationBlock, title: str, report: "ReportSummary", address: str) -> None:
    """Send a report's sentences with the way to its page; `address` is where the folder of reports is served."""
    page = report.page
    place = f"{address.rstrip('/')}/{page.parent.name}/{page.name}" if address else str(page)
    send: Any = block.notify
    send(body="\n".join([*report.sentences, "", place]), subject=f"{title} · {report.period}")
