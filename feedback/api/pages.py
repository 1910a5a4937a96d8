"""Pages of lists: the parameters every list takes, and the envelope every list has."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Response

MAX_PAGE_SIZE = 500
DEFAULT_PAGE_SIZE = 20
MAX_PAGE = 1_000_000_000_000


class Page(msgspec.Struct, frozen=True):
    """Which part of a list is wanted."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """How many items come before the page."""
        return (self.number - 1) * self.size


def get_page(
    page: Annotated[int, Query(ge=1, le=MAX_PAGE, description="The page, from 1.")] = 1,
    page_size: Annotated[
        int, Query(alias="pageSize", ge=1, le=MAX_PAGE_SIZE, description="Items a page, at most 500.")
    ] = DEFAULT_PAGE_SIZE,
) -> Page:
    """The page that a request asks for."""
    return Page(page, page_size)


PageDep = Annotated[Page, Depends(get_page)]


def json_reply(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON reply."""
    return Response(msgspec.json.encode(content), status, headers, "application/json")


def page_reply(page: Page, total: int, items: Sequence[Any]) -> Response:
    """A list's reply: {page, pageSize, total, items}."""
    return json_reply({"page": page.number, "pageSize": page.size, "total": total, "items": items})
