"""A report is sent to people through a block that Prefect keeps, and to nobody unless asked."""

import smtplib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.definitions import DefinitionError
from tests.pipeline.flows.receivers import Certificate, mail_server, slack, web_address

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:'imghdr':DeprecationWarning")]


def make_definition(pipeline: Any) -> str:
    questions = [
        {
            "name": "words",
            "title": "Words",
            "chart": "opinions",
            "field": "TERMS",
            "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL"}],
        }
    ]
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
    with web_address() as (port, received):
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
        kept: Any = load_block("smtp-email/monday")
        kept.notify("The NPS stands at 7.", subject="Visits ·\nMarch\n")
    assert [line for line in told if line.startswith("rcpt")] == [
        "rcpt TO:<ann@example.org>",
        "rcpt TO:<bob@example.org>",
    ]
    assert "The NPS stands at 7." in told
    assert any(line.startswith("Subject: Visits =?utf-8?") for line in told)


@pytest.mark.parametrize("encryption", ["starttls", "tls"])
def test_a_mail_server_is_logged_into_only_over_a_verified_connection(
    prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encryption: Any
) -> None:
    from flows.mail import SmtpEmail  # noqa: PLC0415

    certificate = Certificate(tmp_path)
    with mail_server(certificate, encryption=encryption, login=("ann", "a secret")) as (port, told):
        addresses = {"sender": "reports@example.org", "recipients": ["bob@example.org"]}
        block = SmtpEmail(
            host="127.0.0.1", port=port, encryption=encryption, username="ann", password="a secret", **addresses
        )
        with pytest.raises(OSError, match="self-signed certificate"):
            block.notify("The NPS stands at 7.", subject="Visits")
        assert not any("AUTH" in line or "NPS" in line for line in told)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
        block.notify("The NPS stands at 7.", subject="Visits")
        assert "The NPS stands at 7." in told
        with pytest.raises(smtplib.SMTPAuthenticationError):
            block.model_copy(update={"username": "eve"}).notify("The NPS stands at 9.", subject="Visits")
    assert "The NPS stands at 9." not in told


def test_slack_is_told_through_prefects_own_block(
    prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.blocks.notifications import SlackWebhook  # noqa: PLC0415

    from flows.delivery import load_block  # noqa: PLC0415

    certificate = Certificate(tmp_path, "hooks.slack.com")
    address = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
    SlackWebhook(name="monday", url=address).save("monday", overwrite=True)
    with slack(certificate) as (port, received):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.path))
        kept: Any = load_block("slack-webhook/monday")
        kept.notify("The NPS stands at 7.", subject="Visits · March")
    ((path, message),) = received
    assert address.endswith(path)
    assert "The NPS stands at 7." in str(message)
    assert "Visits · March" in str(message)


def test_a_block_that_is_not_there_is_told_before_the_work(pipeline: Any, load: Callable[..., Any]) -> None:
    from flows.aggregation_report import aggregation_report  # noqa: PLC0415

    load(pipeline.feed(), source=pipeline.file())
    with pytest.raises(DefinitionError, match="nobody"):
        aggregation_report(make_definition(pipeline), notify="slack-webhook/nobody")
    assert not (pipeline.folder / "reports").exists()
