"""The comments that are sent while things break: what must become of each is known beforehand."""

import csv
import io
import json
import random
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]

DATASET = {
    "lang": "en",
    "type": "PRODUCT_REVIEW",
    "industry": "RETAIL_B2C",
    "metadataDefinitions": [
        {"code": "nps", "type": "NPS", "mandatory": False},
        {"code": "store", "type": "STRING", "mandatory": False, "allowedValues": ["Lyon", "Paris", "Lille"]},
    ],
}
SUBJECTS = ("staff", "coffee", "delivery", "room", "queue", "app", "refund", "price", "driver", "customer service")
JUDGEMENTS = ("was great", "was far too slow", "could be better", "is not worth it", "was lovely", "never worked")
CONTEXTS = ("on my second visit", "when we came back with the children", "as always", "and nobody apologised")
STORES = ("Lyon", "Paris", "Lille")
WORDY_EVERY = 4
FLAWED_EVERY = 41
TWIN_EVERY = 53
TWIN_DISTANCE = 30


@dataclass(frozen=True)
class Batch:
    """Documents of one import, and what is known of them: which must be stored, and how many must fail."""

    documents: list[Document]
    stored: dict[str, str]
    failed: int

    def body(self) -> bytes:
        """The import as JSON."""
        return json.dumps({"documents": self.documents}).encode()

    def lines(self) -> bytes:
        """The import as NDJSON."""
        return "".join(json.dumps(document) + "\n" for document in self.documents).encode()

    def table(self) -> bytes:
        """The import as CSV."""
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow(["externalId", "content", "metadata.nps", "metadata.store"])
        for document in self.documents:
            values = {entry["code"]: entry["value"] for entry in document["metadata"]}
            writer.writerow([document["externalId"], document["content"], values["nps"], values["store"]])
        return file.getvalue().encode()


def make_batch(count: int, seed: int, *, first: int = 0, twins: int | None = None, name: str = "d") -> Batch:
    """`count` documents named from `first` on. Some break a rule; among the first `twins` (all) some come twice."""
    draw = random.Random(seed)
    documents = [_document(draw, f"{name}-{first + place}", wordy=place % WORDY_EVERY == 0) for place in range(count)]
    flawed = set(range(FLAWED_EVERY, count, FLAWED_EVERY))
    for place in flawed:
        documents[place]["metadata"][0]["value"] = 11
    twice = [
        place
        for place in range(TWIN_EVERY, count if twins is None else twins, TWIN_EVERY)
        if not flawed & {place, place - TWIN_DISTANCE}
    ]
    for place in twice:
        documents[place]["externalId"] = documents[place - TWIN_DISTANCE]["externalId"]
    stored = {
        document["externalId"]: document["content"] for place, document in enumerate(documents) if place not in flawed
    }
    return Batch(documents, stored, len(flawed) + len(twice))


def _document(draw: random.Random, external_id: str, *, wordy: bool) -> Document:
    first, second = draw.sample(SUBJECTS, 2)
    words = f"The {first} {draw.choice(JUDGEMENTS)} {draw.choice(CONTEXTS)}, the {second} {draw.choice(JUDGEMENTS)}."
    return {
        "externalId": external_id,
        "content": words if wordy else f"Fine, {draw.randrange(1000)}.",
        "metadata": [
            {"code": "nps", "value": draw.randrange(11)},
            {"code": "store", "value": draw.choice(STORES)},
        ],
    }
