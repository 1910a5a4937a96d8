"""From a request with labelled documents to a classifier that can be stored."""

from collections import Counter

from feedback.api.service import Service
from feedback.domain.dataset import Dataset
from feedback.domain.labelled import FittedRequest, Labelled, read_fitted
from feedback.domain.masking import mask
from feedback.domain.metadata_values import shown
from feedback.domain.own_entries import ClassifierEntry, FittedModel, Share
from feedback.errors import Code, Invalid, Problem
from feedback.processing.fitting import fit_elsewhere
from feedback.store.engine import snapshot
from feedback.store.labelled import contents_of


def fit_classifier(service: Service, dataset: Dataset, body: object) -> ClassifierEntry:
    """The classifier that a request asks for, fitted outside of any transaction."""
    asked = read_fitted(body)
    texts = _texts(service, dataset, asked)
    fitted = fit_elsewhere(Labelled(texts, [document.value for document in asked.documents]))
    counts = Counter(document.value for document in asked.documents)
    classes = tuple(Share(value, count) for value, count in sorted(counts.items()))
    model = FittedModel(classes, fitted.folds, fitted.accuracy, fitted.macro_f1, fitted.features, fitted.model)
    return ClassifierEntry(asked.code, fitted=model)


def _texts(service: Service, dataset: Dataset, asked: FittedRequest) -> list[str]:
    named = [document.external_id for document in asked.documents if document.external_id is not None]
    with snapshot(service.engine) as connection, connection.begin():
        stored = contents_of(connection, dataset.id, named)
    problems = [
        Problem(Code.NOT_FOUND, f"the dataset has no document {shown(d.external_id)}", f"documents[{n}].externalId")
        for n, d in enumerate(asked.documents)
        if d.external_id is not None and d.external_id not in stored
    ]
    if problems:
        raise Invalid(problems=problems)
    # A text of its own is read as it would be if it were imported.
    sent = mask if dataset.masking else str
    return [stored[d.external_id] if d.external_id is not None else sent(d.text or "") for d in asked.documents]
