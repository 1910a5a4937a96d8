"""A loopback HTTP server that answers as it is told, to see how the client bears it."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from feedback.client import FeedbackClient

TOKEN = {"access_token": "t1", "token_type": "Bearer", "expires_in": 3600}


@dataclass
class Answering:
    """Replies queued per path; the last one of a path is repeated. A reply is (status, body, headers)."""

    replies: dict[str, list[tuple[int, Any, dict[str, str]]]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""

    def answer(self, path: str, *replies: tuple[int, Any] | tuple[int, Any, dict[str, str]]) -> None:
        self.replies[path] = [(reply[0], reply[1], reply[2] if len(reply) == 3 else {}) for reply in replies]

    def seen(self, path: str) -> list[tuple[str, str, dict[str, str], bytes]]:
        return [request for request in self.requests if request[1].split("?")[0] == path]


class Handler(BaseHTTPRequestHandler):
    told: Answering

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.told.requests.append((self.command, self.path, dict(self.headers), body))
        queue = self.told.replies.get(self.path.split("?")[0], [(404, {}, {})])
        status, reply, headers = queue.pop(0) if len(queue) > 1 else queue[0]
        if status == 0:
            self.close_connection = True
            self.connection.close()
            return
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815 http.server's names

    def log_message(self, *args: Any) -> None:
        """The test's own output is enough."""


@pytest.fixture
def service() -> Iterator[Answering]:
    """A server that gives tokens and what a test queues."""
    told = Answering()
    told.answer("/v1/token", (200, TOKEN))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Told", (Handler,), {"told": told}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}"
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def make_client(service: Answering) -> Iterator[Callable[..., FeedbackClient]]:
    """Makes clients of that server with a short patience."""
    made: list[FeedbackClient] = []

    def make(**given: Any) -> FeedbackClient:
        made.append(FeedbackClient(service.url, "id", "secret", **({"timeout": 5.0, "patience": 3.0} | given)))
        return made[-1]

    yield make
    for client in made:
        client.close()
