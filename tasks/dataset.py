"""Makes the dataset of a feed or lets it grow: what the feed declares and the dataset lacks is added, never changed."""

from collections.abc import Mapping
from typing import Any

from config.definitions import DefinitionError, Problem
from config.feed import Feed, Metadata, definition_body
from feedback.client import Dataset, FeedbackClient, MetadataDefinition, Permanent
from feedback.errors import Code


def ensure_dataset(client: FeedbackClient, feed: Feed, evolved: Mapping[str, Metadata]) -> Dataset:
    """The feed's dataset with at least its metadata. Raises `DefinitionError` when the two contradict each other."""
    body = feed.dataset_body()
    body["metadataDefinitions"] += [definition_body(code, field) for code, field in evolved.items()]
    dataset = client.find_dataset(feed.dataset.name)
    if dataset is None:
        try:
            return client.create_dataset(body)
        except Permanent as error:
            dataset = client.find_dataset(feed.dataset.name) if Code.NAME_TAKEN in error.codes else None
            if dataset is None:
                raise
    return _grown(client, feed, dataset, body["metadataDefinitions"])


def _grown(client: FeedbackClient, feed: Feed, dataset: Dataset, wanted: list[dict[str, Any]]) -> Dataset:
    known = {definition.code: definition for definition in dataset.metadata_definitions}
    problems = [_contradiction(known[each["code"]], each) for each in wanted if each["code"] in known]
    given = {each["code"] for each in wanted}
    problems += [_lacking(dataset, each) for code, each in known.items() if each.mandatory and code not in given]
    if any(problems):
        raise DefinitionError(f"feed {feed.name}", [problem for problem in problems if problem])
    additions = [each for each in wanted if each["code"] not in known]
    additions += [each for each in wanted if each["code"] in known and _widens(known[each["code"]], each)]
    return client.add_to_dataset(dataset.id, {"metadataDefinitions": additions}) if additions else dataset


def _contradiction(known: MetadataDefinition, wanted: Mapping[str, Any]) -> Problem | None:
    if known.type.lower() == wanted["type"].lower():
        return None
    message = f"is {known.type} in the dataset and {wanted['type']} here; rename it, or use another dataset"
    return Problem(f"metadata.{known.code}.type", message)


def _lacking(dataset: Dataset, known: MetadataDefinition) -> Problem:
    message = f"dataset {dataset.name!r} refuses every document without it; add it, or use another dataset"
    return Problem(f"metadata.{known.code}", message)


def _widens(known: MetadataDefinition, wanted: Mapping[str, Any]) -> bool:
    return bool(known.allowed_values) and not set(wanted.get("allowedValues", [])) <= set(known.allowed_values)
