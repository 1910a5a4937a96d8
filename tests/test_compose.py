"""The compose file held to what it starts: settings that exist, commands that exist, files that are there."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from config.settings import PREFIX
from config.settings import Settings as PipelineSettings
from feedback.cli.commands import app
from feedback.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deployments" / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "deployments" / "Dockerfile").read_text()
SERVICES: dict[str, Any] = COMPOSE["services"]


def known_variables() -> set[str]:
    service = {f"FEEDBACK_{name.upper()}" for name in Settings.model_fields}
    return service | {f"{PREFIX}{name.upper()}" for name in PipelineSettings.model_fields} | {"FEEDBACK_HOME"}


def test_every_variable_of_ours_is_a_setting() -> None:
    given = {name for service in SERVICES.values() for name in service.get("environment", {})}
    given |= set(re.findall(r"(FEEDBACK_[A-Z_]+)=", DOCKERFILE))
    assert {name for name in given if name.startswith("FEEDBACK_")} <= known_variables()


def test_every_feedback_command_exists() -> None:
    commands = set(typer.main.get_group(app).commands)
    used = {service["command"][1] for service in SERVICES.values() if service.get("command", [""])[0] == "feedback"}
    assert used == {"migrate", "api", "worker"}
    assert used <= commands


def test_what_a_service_waits_for_and_mounts_is_defined() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        assert {mount.partition(":")[0] for mount in service.get("volumes", [])} <= set(COMPOSE["volumes"])


@pytest.mark.parametrize("service", ["api", "worker"])
def test_the_receiver_of_this_network_may_be_registered_and_reached(service: str) -> None:
    allowed = SERVICES[service]["environment"]["FEEDBACK_WEBHOOK_ALLOWED_HOSTS"]
    assert allowed in SERVICES
    assert f"//{allowed}:" in SERVICES["pipeline"]["environment"]["FEEDBACK_PIPELINE_RECEIVER_URL"]


@pytest.mark.parametrize("source", re.findall(r"^COPY (?:--chown=\S+ )?(?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE))
def test_the_image_copies_what_is_there(source: str) -> None:
    assert [name for name in source.split() if not (ROOT / name).exists()] == []
