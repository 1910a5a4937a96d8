"""The page at /docs: every route of the OpenAPI document with its examples, in one file that loads nothing else.

The usual pages load their scripts from a stranger's server, so they are empty where there is no internet, and tell that
server who reads them.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import FastAPI, Response

Json = dict[str, Any]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2b6cb0; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
nav { columns: 17rem; font-size: .85rem; overflow-wrap: anywhere; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; break-inside: avoid; }
nav b { text-transform: capitalize; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; text-transform: capitalize; }
h3 { font: 600 1rem ui-monospace, monospace; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h3 b { background: var(--accent); border-radius: 3px; color: #fff; margin-right: .4rem; padding: .1rem .4rem; }
table { border-collapse: collapse; font-size: .9rem; }
td { border-top: 1px solid var(--line); padding: .2rem .8rem .2rem 0; }
pre { background: var(--soft); border-radius: 4px; font-size: .8rem; overflow-x: auto; padding: .6rem; }
summary { cursor: pointer; } code { font-size: .9em; }
"""


def install_reference(app: FastAPI) -> None:
    """Adds the page to the app."""
    pages: list[str] = []

    def docs() -> Response:
        if not pages:
            pages.append(reference_page(app.openapi(), str(app.openapi_url)))
        return Response(pages[0], media_type="text/html", headers={"Content-Security-Policy": _POLICY})

    app.add_api_route("/docs", docs, include_in_schema=False)


def reference_page(document: Json, address: str) -> str:
    """The page of an OpenAPI document that is to be had at that address."""
    sections: dict[str, list[tuple[str, str, Json]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            sections.setdefault(operation.get("tags", ["operation"])[0], []).append((method, path, operation))
    title = escape(document["info"]["title"])
    return "".join(
        (
            "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
            f"<title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>",
            f"<p>{escape(document['info'].get('description', ''))} As <a href='{address}'>OpenAPI</a>.</p><nav>",
            *(_contents(tag, routes) for tag, routes in sections.items()),
            "</nav>",
            *(part for tag, routes in sections.items() for part in _section(tag, routes)),
            "</html>",
        )
    )


def _contents(tag: str, routes: list[tuple[str, str, Json]]) -> str:
    links = (
        f"<li><a href='#{escape(o['operationId'])}'>{method.upper()} {escape(_short(path))}</a>"
        for method, path, o in routes
    )
    return f"<ul><li><b>{escape(tag)}</b>{''.join(links)}</ul>"


def _short(path: str) -> str:
    """A path as the list of contents names it: most begin alike."""
    return path.removeprefix("/v1").replace("/management/datasets/{dataset_id}/", "… ").replace("/management/", "/")


def _section(tag: str, routes: list[tuple[str, str, Json]]) -> Iterator[str]:
    yield f"<h2>{escape(tag)}</h2>"
    for method, path, operation in routes:
        yield f"<h3 id='{escape(operation['operationId'])}'><b>{method.upper()}</b>{escape(path)}</h3>"
        yield f"<p>{escape(str(operation.get('description') or operation['summary']))}</p>"
        yield _parameters(operation.get("parameters", []))
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            yield _example("Body", media, content)
        for status, reply in operation["responses"].items():
            for media, content in reply.get("content", {}).items():
                if status.startswith("2"):
                    yield _example(f"Reply {status}", media, content)
        yield _refusals(operation["responses"])


def _parameters(parameters: list[Json]) -> str:
    rows = (
        f"<tr><td><code>{escape(p['name'])}</code><td>{escape(p['in'])}{', required' if p.get('required') else ''}"
        f"<td>{escape(p.get('description', ''))}"
        for p in parameters
    )
    return f"<table>{''.join(rows)}</table>" if parameters else ""


def _example(what: str, media: str, content: Json) -> str:
    if "example" not in content:
        return f"<p>{what}: <code>{escape(media)}</code></p>"
    example = content["example"]
    text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    return f"<p>{what}: <code>{escape(media)}</code></p><pre>{escape(text)}</pre>"


def _refusals(responses: Json) -> str:
    told = [f"<tr><td>{status}<td>{escape(r['description'])}" for status, r in responses.items() if status[0] in "45"]
    return f"<details><summary>Refusals</summary><table>{''.join(told)}</table></details>" if told else ""
