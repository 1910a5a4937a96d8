"""What a dataset says of itself once all is done, to be held against what was sent and against an undisturbed run."""

from dataclasses import dataclass
from typing import Any

from comments import Batch
from house import House, Json, imports_of

QUESTIONS: tuple[Json, ...] = (
    {"field": "externalId"},
    {"field": "metadata.nps", "type": "NPS", "dimensions": [{"field": "metadata.nps", "group": "NPS_GROUP"}]},
    {"field": "metadata.nps", "type": "SUM", "dimensions": [{"field": "metadata.store", "group": "DISTINCT"}]},
    {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL", "limit": 100}]},
    {"field": "metadata.nps", "type": "AVG", "dimensions": [{"field": "TOPICS", "group": "DISTINCT", "limit": 100}]},
)
COUNTS = ("totalDocuments", "processedDocuments", "failedDocuments", "supersededDocuments", "erasedDocuments")
CONTENT = ("content", "lang", "type", "metadata", "enrichments", "topics", "classifiers", "state")
PAGE = 500


@dataclass(frozen=True)
class Picture:
    """A dataset without what differs from run to run: ids and times.

    `written` is how many documents its chunks have stored. Where imports replace each other's documents that depends
    on whose turn came first, and is not compared.
    """

    imports: list[tuple[Any, ...]]
    documents: list[dict[str, tuple[Any, ...]]]
    listed: int
    errors: list[list[tuple[Any, ...]]]
    answers: list[Any]
    written: int

    @property
    def distinct(self) -> int:
        """How many documents there are, each counted once."""
        return len({external_id for found in self.documents for external_id in found})


@dataclass
class Toll:
    """What faults have cost: of a service that keeps its promises, nothing."""

    lost: int = 0
    duplicated: int = 0
    different: int = 0

    def figures(self) -> dict[str, int | float | str]:
        """What was counted."""
        return {
            "documents lost": self.lost,
            "duplicated": self.duplicated,
            "rounds unlike an undisturbed one": self.different,
        }

    def add(self, expected: Picture, found: Picture) -> list[str]:
        """Counts what is missing, double or otherwise than expected, and names it."""
        wanted = {external_id for part in expected.documents for external_id in part}
        present = {external_id for part in found.documents for external_id in part}
        lost = len(wanted - present)
        duplicated = found.listed - found.distinct + max(0, _volume(found) - found.distinct)
        told = [
            f"{name} differ from the undisturbed run's"
            for name in ("imports", "documents", "errors", "answers")
            if getattr(found, name) != getattr(expected, name)
        ]
        self.lost += lost
        self.duplicated += duplicated
        self.different += bool(told)
        return [f"{lost} documents lost"] * bool(lost) + [f"{duplicated} documents doubled"] * bool(duplicated) + told


def take_picture(home: House, dataset_id: str, import_ids: list[str]) -> Picture:
    """The picture of a dataset whose imports have all ended."""
    imports, documents, errors, listed = [], [], [], 0
    for import_id in import_ids:
        address = f"{imports_of(dataset_id)}/{import_id}"
        record = home.http.get(address).json()
        items = all_items(home, f"{address}/documents")
        listed += len(items)
        documents.append({item["externalId"]: tuple(item[name] for name in CONTENT) for item in items})
        faults = all_items(home, f"{address}/errors")
        errors.append([(fault["index"], fault["code"], fault["field"], fault["externalId"]) for fault in faults])
        imports.append((record["state"], *(record[name] for name in COUNTS), len(items)))
    answers = [ask(home, dataset_id, question) for question in QUESTIONS]
    months = home.http.get(f"/v1/management/datasets/{dataset_id}").json()["monthlyImportedDocuments"]
    return Picture(imports, documents, listed, errors, answers, sum(month["count"] for month in months))


def ask(home: House, dataset_id: str, question: Json) -> list[Any]:
    """An aggregation's answer over all of a dataset."""
    reply = home.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=question)
    reply.raise_for_status()
    period = reply.json()["periods"][0]
    return [period["total"], period["values"]]


def all_items(home: House, address: str) -> list[Json]:
    """Everything that a list holds, page by page."""
    items: list[Json] = []
    while True:
        reply = home.http.get(address, params={"page": len(items) // PAGE + 1, "pageSize": PAGE})
        reply.raise_for_status()
        page: list[Json] = reply.json()["items"]
        items += page
        if len(page) < PAGE:
            return items


def breaches_of_sent(picture: Picture, batches: list[Batch]) -> list[str]:
    """Where an undisturbed picture is not what was sent; later batches replace what earlier ones brought."""
    wanted: dict[str, str] = {}
    for batch in batches:
        wanted |= batch.stored
    found = {external_id: values[0] for part in picture.documents for external_id, values in part.items()}
    failed = [row[1 + COUNTS.index("failedDocuments")] for row in picture.imports]
    told = ["the documents are not those that were sent"] * (found != wanted)
    told += ["the aggregations see another number of documents"] * (_volume(picture) != len(wanted))
    told += ["an import counts other failures than were sent"] * (failed != [batch.failed for batch in batches])
    for state, total, processed, failures, superseded, erased, listed in picture.imports:
        whole = state == "COMPLETED" and processed == total == failures + superseded + erased + listed
        told += ["an import does not add up"] * (not whole)
    return told


def _volume(picture: Picture) -> int:
    return int(picture.answers[0][0]["volume"])
