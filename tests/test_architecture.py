"""The arrows between the folders, held by a test instead of by reviewers."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A package may import those on its right, itself, and feedback.errors; the first prefix that fits a module decides.
ALLOWED: dict[str, set[str]] = {
    "feedback.errors": set(),
    "feedback.domain": set(),
    "feedback.settings": {"feedback.domain"},
    "feedback.analysis": {"feedback.domain"},
    "feedback.store": {"feedback.domain", "feedback.analysis", "feedback.settings"},
    "feedback.processing": {"feedback.domain", "feedback.analysis", "feedback.store", "feedback.settings"},
    "feedback.aggregation": {"feedback.domain", "feedback.analysis", "feedback.store", "feedback.settings"},
    "feedback.insights": {"feedback.domain", "feedback.store", "feedback.aggregation", "feedback.settings"},
    "feedback.api": {
        "feedback.domain",
        "feedback.analysis",
        "feedback.store",
        "feedback.processing",
        "feedback.aggregation",
        "feedback.insights",
        "feedback.settings",
    },
    "feedback.client": set(),
    "config": {"feedback.client"},
    "tasks": {"config", "feedback.client"},
    "flows": {"config", "tasks", "feedback.client"},
    "deployments": {"config", "tasks", "flows", "feedback.client"},
}
OURS = ("feedback", "config", "tasks", "flows", "deployments")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a thing lives"
            assert node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> str | None:
    return next((name for name in ALLOWED if module == name or module.startswith(f"{name}.")), None)


MODULES = sorted(p for folder in OURS for p in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_follow_the_arrows(path: Path) -> None:
    own = layer(module_name(path))
    if own is None:  # The command line stands above all of the service.
        assert module_name(path) == "feedback" or module_name(path).startswith("feedback.cli")
        return
    allowed = ALLOWED[own] | {own, "feedback.errors"}
    wrong = [
        name
        for name in imports(path)
        if name.split(".")[0] in OURS and not any(name == a or name.startswith(f"{a}.") for a in allowed)
    ]
    assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}; {own} may import {sorted(allowed)}"


@pytest.mark.parametrize("path", sorted((ROOT / "feedback").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_service_never_imports_prefect(path: Path) -> None:
    assert not [name for name in imports(path) if name.split(".")[0] == "prefect"]


def test_no_flow_module_is_named_after_a_top_level_folder() -> None:
    # Prefect puts flows/ ahead of the root on sys.path, so such a module would hide the folder.
    assert not {p.stem for p in (ROOT / "flows").glob("*.py")} & {"feedback", "config", "tasks", "deployments", "tests"}
