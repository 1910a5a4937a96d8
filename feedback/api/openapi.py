"""The OpenAPI document: routes that read raw bodies say here what they read."""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from feedback.api.examples import add_examples

_REFERENCE = "#/components/schemas/{model}"
_MODELS: dict[str, type[BaseModel]] = {}


def documented(
    model: type[BaseModel], example: Any, media: Mapping[str, Any] | None = None, *, required: bool = True
) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads a body of this model; `media` holds further content types."""
    content = {"application/json": {"schema": _reference(model), "example": example}, **(media or {})}
    return {"requestBody": {"required": required, "content": content}}


def replied(model: type[BaseModel], description: str) -> dict[str, Any]:
    """A reply of this model. Where every route has it, a model of FastAPI's own for each would take most of a start."""
    return {"description": description, "content": {"application/json": {"schema": _reference(model)}}}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    _MODELS[model.__name__] = model
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def methods_at(document: Mapping[str, Any], path: str) -> list[str]:
    """The methods that the service offers at a path, sorted: those of the document, and HEAD where GET is."""
    found: set[str] = set()
    for template, methods in document["paths"].items():
        # Of all names in addresses only an external id may contain slashes, and line ends.
        pattern = re.escape(template).replace(r"\{external_id\}", r"[\s\S]+")
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", pattern), path):
            found |= {method.upper() for method in methods} | ({"HEAD"} if "get" in methods else set())
    return sorted(found)


def install_openapi(app: FastAPI) -> None:
    """Has the app's document include the models of raw bodies."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            for name, model in _MODELS.items():
                schema = model.model_json_schema(ref_template=_REFERENCE)
                schemas.update(schema.pop("$defs", {}))
                schemas[name] = schema
            add_examples(document)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
