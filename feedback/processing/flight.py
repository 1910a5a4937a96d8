"""A chunk on its way: claimed, validated and handed to the executor, but not committed."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

import msgspec
from sqlalchemy import Connection

from feedback.analysis import Profile
from feedback.domain.dataset import Dataset
from feedback.domain.findings import Found
from feedback.domain.imports import DocumentError
from feedback.domain.masking import mask
from feedback.domain.validation import DocumentRules, Refused, ValidDocument
from feedback.errors import Code, Problem
from feedback.processing.analysing import Texts, decode_findings
from feedback.processing.executors import AnalysisExecutor
from feedback.processing.isolation import Record, analyse_isolated
from feedback.processing.metrics import ANALYSIS_SECONDS
from feedback.store.chunks import AnalysedDocument, commit_chunk
from feedback.store.claims import Claim

SLICE_DOCUMENTS = 512
SLICE_CHARACTERS = 128 * 1024

Isolate = Callable[["Flight", int, Texts], Sequence[Found | None]]
"""Runs a flight's slice, which begins at that place, in isolation; None stands for a text that cannot be analysed."""


class Flight:
    """The chunk of an import that starts at its claim's index."""

    def __init__(self, claim: Claim, dataset: Dataset, profile: Profile, raw: Sequence[bytes]) -> None:
        self.claim = claim
        self.dataset = dataset
        self.end = claim.next_index + len(raw)
        self.errors: list[DocumentError] = []
        self.in_pool = False
        self.run_alone: list[tuple[int, int]] = []
        self._profile = profile
        self._valid: list[tuple[int, ValidDocument]] = []
        self._slices: list[tuple[int, Texts, Future[bytes] | None]] = []
        self.claimed = time.monotonic()
        self._started = self.claimed
        self._take(enumerate(DocumentRules(dataset).check_all(raw, claim.next_index), claim.next_index))

    @property
    def documents(self) -> int:
        """How many documents the chunk deals with, failed ones included."""
        return self.end - self.claim.next_index

    def start(self, executor: AnalysisExecutor) -> None:
        """Hands the texts to the executor, in slices that keep all its processes busy."""
        self._started = time.monotonic()
        self.in_pool = True
        self._slices = [
            (place, texts, executor.submit(texts, self._profile)) for place, texts in self._sliced(executor.width)
        ]

    def hold(self, width: int) -> None:
        """Keeps the texts back: the chunk took a worker down before, and is run in isolation when its turn comes."""
        self._slices = [(place, texts, None) for place, texts in self._sliced(width)]

    def finish(self, deadline: float, isolate: Isolate) -> list[AnalysedDocument]:
        """The analysed documents. A slice that fails or is late is run again in isolation, by itself."""
        analysed: list[AnalysedDocument] = []
        limit = self._started + deadline
        for place, texts, future in self._slices:
            found = None if future is None else _result(future, limit - time.monotonic())
            results: Sequence[Found | None] = found if found is not None else isolate(self, place, texts)
            for offset, result in enumerate(results):
                index, document = self._valid[place + offset]
                if result is None:
                    self.errors.append(_unanalysable(index, document))
                else:
                    analysed.append(AnalysedDocument(index, document, *result))
        return analysed

    def commit(self, connection: Connection, analysed: Sequence[AnalysedDocument], *, release: bool) -> None:
        """Stores the chunk in the caller's transaction; LostClaim where the claim no longer holds."""
        commit_chunk(
            connection, self.claim, self.dataset, end=self.end, analysed=analysed, errors=self.errors, release=release
        )

    def isolated(
        self, executor: AnalysisExecutor, place: int, texts: Texts, seconds: float, record: Record
    ) -> list[Found | None]:
        """Runs one of the slices alone, halving it until the text that is to blame stands by itself."""
        return analyse_isolated(
            executor, texts, self._profile, seconds=seconds, start=self.claim.next_index + place, record=record
        )

    def cancel(self) -> None:
        """Gives up what has not begun."""
        for _, _, future in self._slices:
            if future is not None:
                future.cancel()

    def _take(self, numbered: Iterable[tuple[int, ValidDocument | Refused]]) -> None:
        """Keeps the documents that are valid, and the errors of the others; each comes with its index."""
        for index, checked in numbered:
            if isinstance(checked, tuple):
                self.errors += _errors(index, *checked)
            else:
                self._valid.append((index, _masked(checked) if self.dataset.masking else checked))

    def _sliced(self, width: int) -> list[tuple[int, Texts]]:
        largest = max(1, min(SLICE_DOCUMENTS, -(-len(self._valid) // width)))
        slices: list[tuple[int, Texts]] = []
        texts: Texts = []
        size = 0
        for place, (_, document) in enumerate(self._valid):
            sent = document.sent
            if texts and (len(texts) == largest or size + len(sent.content) > SLICE_CHARACTERS):
                slices.append((place - len(texts), texts))
                texts, size = [], 0
            texts.append((sent.content, document.lang, document.typed if self._profile.classifiers else None))
            size += len(sent.content)
        if texts:
            slices.append((len(self._valid) - len(texts), texts))
        return slices


def _masked(document: ValidDocument) -> ValidDocument:
    sent = msgspec.structs.replace(document.sent, content=mask(document.sent.content))
    return msgspec.structs.replace(document, sent=sent)


def _result(future: "Future[bytes]", seconds: float) -> list[Found] | None:
    try:
        found = decode_findings(future.result(timeout=max(seconds, 0)))
    except Exception:  # noqa: BLE001  Whatever a text provokes is found out about in isolation.
        future.cancel()
        return None
    if found:
        ANALYSIS_SECONDS.inc(found[0][1].seconds)
    return found


def _errors(index: int, external_id: str | None, problems: list[Problem]) -> list[DocumentError]:
    return [DocumentError(p.code, p.description, p.field, external_id, index) for p in problems[:100]]


def _unanalysable(index: int, document: ValidDocument) -> DocumentError:
    description = "the analysis of this text does not end, or ends its process"
    external_id = document.sent.external_id
    return DocumentError(Code.ANALYSIS_FAILED, description, f"documents[{index}].content", external_id, index)
