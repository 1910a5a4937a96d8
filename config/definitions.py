"""Reads YAML definitions strictly: every problem at once, each with its path and what to do about it."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

M = TypeVar("M", bound=BaseModel)

ADVICE = {
    "extra_forbidden": "no such setting here; remove it or correct its spelling",
    "missing": "is required; add it",
}


class Strict(BaseModel):
    """A definition refuses what it does not know: a misspelt setting must not be silently without effect."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a definition, and where."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class DefinitionError(Exception):
    """A definition that cannot be used; `problems` holds all that is wrong with it."""

    def __init__(self, where: str, problems: list[Problem]) -> None:
        self.where = where
        self.problems = problems
        super().__init__("\n".join([f"{where}:", *(f"  {problem}" for problem in problems)]))


class _Loader(yaml.SafeLoader):
    """YAML as people read it: only true and false are booleans (`Yes` and `NO` are words), dates stay text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 PyYAML reads this attribute from the class
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag not in {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"}
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 PyYAML's signature
        """A key given twice is an error: YAML would silently keep the last."""
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        if twice:
            message = f"given twice: {', '.join(twice)}"
            raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def read_definition(path: Path, model: type[M], **defaults: Any) -> M:
    """The definition in a YAML file. Raises `DefinitionError` with every problem found."""
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 a SafeLoader with fewer types
    except OSError as error:
        raise DefinitionError(str(path), [Problem("", f"cannot be read: {error.strerror}")]) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DefinitionError(str(path), [Problem("", f"is not YAML: {error}")]) from error
    if not isinstance(content, dict):
        raise DefinitionError(str(path), [Problem("", "must be a mapping of settings, such as `dataset: ...`")])
    return check_definition(str(path), defaults | content, model)


def check_definition(where: str, content: dict[str, Any], model: type[M]) -> M:
    """The definition in `content`. Raises `DefinitionError` with every problem found."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise DefinitionError(where, [_problem(each) for each in error.errors()]) from error


def find_definition(reference: str, folders: list[Path], kind: str) -> Path:
    """The file of a definition named by its path or by its name in one of `folders`, the first that has it."""
    if reference.endswith((".yaml", ".yml")):
        return Path(reference)
    for folder in folders:
        if (found := folder / f"{reference}.yaml").is_file():
            return found
    known = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
    message = f"no {kind} of that name; known: {', '.join(known) or 'none'}. A path to a .yaml file works too"
    raise DefinitionError(reference, [Problem("", message)])


def _problem(error: ErrorDetails) -> Problem:
    path = ""
    for part in error["loc"]:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    advice = ADVICE.get(error["type"])
    told = advice or error["msg"].removeprefix("Value error, ")
    shown = "" if advice or isinstance(error["input"], dict) else f" (it reads {error['input']!r})"
    return Problem(path, told + shown)
