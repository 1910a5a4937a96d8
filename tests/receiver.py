"""A real HTTP receiver on a loopback port, which answers as a test tells it to and keeps what it was sent."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Sent:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What the receiver answers, after a while if need be."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    wait: threading.Event | None = None


class Receiver:
    """`answer` decides on each request's reply; `received` holds the requests in the order of their arrival."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/events"
        self.received: list[Sent] = []
        self.answer: Callable[[Sent], Reply] = lambda _: Reply()

    def replies(self, *replies: Reply) -> None:
        """Answers with these in turn, the last one for ever."""
        pending = list(replies)
        self.answer = lambda _: pending.pop(0) if len(pending) > 1 else pending[0]


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            sent = Sent(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            receiver.received.append(sent)
            reply = receiver.answer(sent)
            if reply.wait is not None:
                reply.wait.wait(30)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
