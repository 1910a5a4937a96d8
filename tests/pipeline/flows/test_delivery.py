"""A report is sent to people through a block that Prefect keeps, and to nobody unless asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import pytest
import yaml

from config.definitions import DefinitionError

pytestmark = pytest.mark.slow


@contextmanager
def receiving() -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """A real receiver on a free port, and what it was sent."""
    received: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, received
        server.shutdown()


@contextmanager
def mail_server() -> Iterator[tuple[int, list[str]]]:
    """A server that speaks as much SMTP as one message needs, and the lines it was told."""
    told: list[str] = []

    class Server(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 ready\r\n")
            content = False
            for line in self.rfile:
                said = line.decode().rstrip("\r\n")
                told.append(said)
                if content and said != ".":
                    continue
                content = said.lower() == "data"
                answer = {"data": b"354 go on", "quit": b"221 bye"}.get(said.lower(), b"250 well")
                self.wfile.write(answer + b"\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], told
        server.shutdown()


def make_definition(pipeline: Any) -> str:
    questions = [{"name": "words", "title": "Words", "chart": "opinions", "field": "TERMS"}]
    questions[0]["dimensions"] = [{"field": "TERMS", "group": "POLARITY_ALL"}]
    score = {"type": "NPS", "field": "metadata.nps"}
    report = {"title": "Visits", "dataset": f"visits of {pipeline.folder.name}", "score": score, "questions": questions}
    path = pipeline.folder / "visits_report.yaml"
    path.write_text(yaml.safe_dump(report | {"date": "metadata.day", "end": "latest"}), "utf-8")
    return str(path)


def test_a_report_is_sent_through_its_block(
    pipeline: Any, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.blocks.notifications import CustomWebhookNotificationBlock  # noqa: PLC0415 after Prefect's settings are made

    from flows.aggregation_report import aggregation_report  # noqa: PLC0415

    monkeypatch.setenv("FEEDBACK_PIPELINE_REPORTS_URL", "https://reports.example/")
    load(pipeline.feed(), source=pipeline.file())
    definition = make_definition(pipeline)
    with receiving() as (port, received):
        fields = {"title": "{{subject}}", "message": "{{body}}"}
        block = CustomWebhookNotificationBlock(name="monday", url=f"http://127.0.0.1:{port}", json_data=fields)
        block.save("monday", overwrite=True)
        aggregation_report(definition)
        assert received == []
        summary = aggregation_report(definition, notify="custom-webhook/monday")
    (message,) = received
    assert message["title"] == f"Visits · {summary.period}"
    assert summary.sentences[0] in message["message"]
    assert message["message"].endswith(f"https://reports.example/{summary.page.parent.name}/index.html")


def test_a_message_goes_out_by_the_companys_own_mail_server(prefect_api: str) -> None:
    from flows.delivery import load_block  # noqa: PLC0415
    from flows.mail import SmtpEmail  # noqa: PLC0415

    with mail_server() as (port, told):
        addresses = {"sender": "reports@example.org", "recipients": ["ann@example.org", "bob@example.org"]}
        block = SmtpEmail(host="127.0.0.1", port=port, encryption="none", **addresses)
        block.save("monday", overwrite=True)
        load_block("smtp-email/monday").notify("The NPS stands at 7.", subject="Visits · March")
    assert [line for line in told if line.startswith("rcpt")] == [
        "rcpt TO:<ann@example.org>",
        "rcpt TO:<bob@example.org>",
    ]
    assert "The NPS stands at 7." in told
    assert any(line.startswith("Subject: Visits =?utf-8?") for line in told)


def test_a_block_that_is_not_there_is_told_before_the_work(pipeline: Any, load: Callable[..., Any]) -> None:
    from flows.aggregation_report import aggregation_report  # noqa: PLC0415

    load(pipeline.feed(), source=pipeline.file())
    with pytest.raises(DefinitionError, match="nobody"):
        aggregation_report(make_definition(pipeline), notify="slack-webhook/nobody")
    assert not (pipeline.folder / "reports").exists()
