"""Pages of lists: the parameters every list takes, and the envelope every list has."""

from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Response
from fastapi.responses import StreamingResponse

from feedback.api.body import JSON

MAX_PAGE_SIZE = 500
DEFAULT_PAGE_SIZE = 20
WHOLE_BYTES = 1024 * 1024
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
    return Response(msgspec.json.encode(content), status, headers, JSON)


def page_reply(page: Page, total: int, items: Iterable[Any]) -> Response:
    """A list's reply: {page, pageSize, total, items}. Each item is encoded as it comes, so that none is held twice.

    A long reply leaves piece by piece: 500 of the longest documents are 50 MB, and joined they would be 100.
    """
    encoded = [msgspec.json.encode(item) for item in items]
    head = msgspec.json.encode({"page": page.number, "pageSize": page.size, "total": total})[:-1] + b',"items":['
    size = len(head) + sum(map(len, encoded)) + max(len(encoded) - 1, 0) + 2
    if size <= WHOLE_BYTES:
        return Response(b"".join((head, b",".join(encoded), b"]}")), media_type=JSON)
    return StreamingResponse(_pieces(head, encoded), headers={"content-length": str(size)}, media_type=JSON)


async def _pieces(head: bytes, encoded: list[bytes]) -> AsyncIterator[bytes]:
    """The parts of a reply in their order; what was handed on is let go."""
    yield head
    encoded.reverse()
    while encoded:
        yield encoded.pop() + (b"," if encoded else b"")
    yield b"]}"
