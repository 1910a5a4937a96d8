"""The documentation of aggregations says what the service does."""

from feedback.aggregation.rules import Grouping, Operation
from tests.aggregation import page
from tests.aggregation.shelf import Shelf


def test_every_reply_on_the_page_is_the_services_own(shelf: Shelf) -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.render(shelf)


def test_every_operation_has_an_example() -> None:
    assert {request["type"] for _, request, _ in page.OPERATION_EXAMPLES} == set(Operation)


def test_every_group_has_an_example() -> None:
    shown = {d["group"] for _, request, _ in page.GROUP_EXAMPLES for d in request.get("dimensions", [])}
    assert shown == set(Grouping)
