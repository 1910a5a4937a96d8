"""The compose file held to what it starts: settings that exist, commands that exist, files that are there."""

import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
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


def test_only_what_asks_for_a_token_is_reached_from_other_machines() -> None:
    opened = {name for name, service in SERVICES.items() for port in service.get("ports", []) if port.count(":") == 1}
    assert opened == {"api"}


@pytest.mark.parametrize("service", ["api", "worker"])
def test_the_receiver_of_this_network_may_be_registered_and_reached(service: str) -> None:
    allowed = SERVICES[service]["environment"]["FEEDBACK_WEBHOOK_ALLOWED_HOSTS"]
    assert allowed in SERVICES
    assert f"//{allowed}:" in SERVICES["pipeline"]["environment"]["FEEDBACK_PIPELINE_RECEIVER_URL"]


class Half(BaseHTTPRequestHandler):
    """Ready at the addresses that the API and Prefect are asked at, once `ready` is set."""

    ready = False

    def do_GET(self) -> None:
        self.send_response(200 if self.ready and self.path in ("/readyz", "/api/health") else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("service", ["api", "prefect"])
def test_a_health_check_tells_a_service_that_is_ready_from_one_that_is_not(service: str) -> None:
    with HTTPServer(("127.0.0.1", 0), Half) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kind, python, *arguments = SERVICES[service]["healthcheck"]["test"]
        probe = [re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{server.server_port}", argument) for argument in arguments]
        outcomes = []
        for ready in (False, True):
            Half.ready = ready
            outcomes.append(subprocess.run([sys.executable, *probe], capture_output=True, check=False).returncode == 0)
        server.shutdown()
    assert (kind, python, outcomes) == ("CMD", "python", [False, True])


@pytest.mark.parametrize("source", re.findall(r"^COPY (?:--chown=\S+ )?(?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE))
def test_the_image_copies_what_is_there(source: str) -> None:
    assert [name for name in source.split() if not (ROOT / name).exists()] == []
