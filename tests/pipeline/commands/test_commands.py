"""What a person at the terminal is told where a command cannot do what it was asked."""

import pytest
from typer.testing import CliRunner

from config.definitions import check_definition
from config.feed import Feed
from feedback.client import Permanent, Transient
from feedback.errors import Code, Problem
from flows.__main__ import advice_on, app
from flows.inspection import shifted_days


@pytest.mark.parametrize(
    "command", [["report", "visits", "--as-of", "31.10.2026"], ["backfill", "visits", "2026-13-01", "2026-12-31"]]
)
def test_a_day_that_is_none_is_told_with_one_that_is(command: list[str]) -> None:
    result = CliRunner().invoke(app, command)
    assert (result.exit_code, "write it as 2026-10-31" in result.output) == (2, True)


def test_a_service_that_does_not_answer_is_told_with_the_setting_that_names_it() -> None:
    assert "FEEDBACK_PIPELINE_SERVICE_URL" in advice_on(Transient("got no answer"))


def test_refused_credentials_are_told_with_the_settings_that_hold_them() -> None:
    refused = Permanent("401", status=401, problems=(Problem(Code.INVALID_CLIENT, "unknown client"),))
    assert "FEEDBACK_PIPELINE_CLIENT_SECRET" in advice_on(refused)


def test_a_receiver_the_service_may_not_notify_is_told_with_the_setting_that_lets_it() -> None:
    refused = Permanent("422", status=422, problems=(Problem(Code.FORBIDDEN_TARGET, "lies in a private range"),))
    assert "FEEDBACK_WEBHOOK_ALLOWED_HOSTS" in advice_on(refused)


def test_a_refusal_that_names_its_reason_gets_no_advice() -> None:
    assert advice_on(Permanent("409", status=409, problems=(Problem(Code.NAME_TAKEN, "taken"),))) == ""


@pytest.mark.parametrize(
    ("form", "zone", "told"),
    [
        ("%d/%m/%Y", "Europe/Paris", True),
        ("%d/%m/%Y %H:%M", "Europe/Paris", False),
        ("%d/%m/%Y", "America/New_York", False),
        ("%d/%m/%Y", "UTC", False),
    ],
)
def test_days_that_a_zone_moves_into_the_day_before_are_told(form: str, zone: str, told: bool) -> None:  # noqa: FBT001 a case
    said = {"dataset": {"name": "visits"}, "external_id": {"column": "id"}, "content": {"columns": "text"}}
    day = {"type": "Datetime", "column": "day", "format": form}
    feed = check_definition("feed", {**said, "name": "visits", "zone": zone, "metadata": {"day": day}}, Feed)
    assert bool(shifted_days(feed)) == told
