"""A list's reply is the same bytes whether it leaves whole or piece by piece."""

import json

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI, Response

from feedback.api.pages import WHOLE_BYTES, Page, page_reply
from tests.builders import Http


@pytest.mark.parametrize("items", [0, 1, 3])
@pytest.mark.parametrize("length", [10, WHOLE_BYTES])
def test_a_reply_of_any_length_is_one_list_and_says_how_long_it_is(items: int, length: int) -> None:
    app = FastAPI()
    sent = [{"content": "é" * length, "place": place} for place in range(items)]

    @app.get("/")
    def listed() -> Response:
        return page_reply(Page(2, 3), 9, iter(sent))

    with start_blocking_portal() as portal:
        reply = Http(app, portal).get("/")
    whole = json.dumps(
        {"page": 2, "pageSize": 3, "total": 9, "items": sent}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    assert reply.content == whole
    assert reply.headers["content-length"] == str(len(whole))
    assert reply.headers["content-type"] == "application/json"
