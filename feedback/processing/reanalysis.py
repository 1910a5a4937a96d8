"""A dataset analysed once more: a job that is claimed, isolated and resumed like an import."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from sqlalchemy import Connection, Engine

from feedback.analysis import Profile
from feedback.domain.dataset import Dataset
from feedback.domain.document import MetadataValue, SentDocument
from feedback.domain.imports import Import, ImportKind
from feedback.domain.validation import DocumentRules
from feedback.processing.flight import Flight
from feedback.processing.intake.acceptance import accept
from feedback.store.chunks import AnalysedDocument
from feedback.store.claims import Claim
from feedback.store.engine import snapshot
from feedback.store.reanalysis import (
    Standing,
    commit_reanalysis,
    external_ids,
    require_no_other,
    standing_documents,
)

_metadata = msgspec.json.Decoder(tuple[MetadataValue, ...]).decode


def accept_reanalysis(engine: Engine, dataset: Dataset, client_id: str, spool_dir: Path) -> Import:
    """Stores the job; it is about the documents that the dataset has now. Conflict where one is under way."""
    with snapshot(engine) as connection, connection.begin():
        return accept(
            engine,
            external_ids(connection, dataset.id),
            dataset_id=dataset.id,
            client_id=client_id,
            spool_dir=spool_dir,
            within=require_no_other,
            kind=ImportKind.REANALYSIS,
        )


class ReanalysisFlight(Flight):
    """A chunk of a re-analysis: the documents of some external ids, as they stand."""

    def __init__(
        self, connection: Connection, claim: Claim, dataset: Dataset, profile: Profile, raw: Sequence[bytes]
    ) -> None:
        super().__init__(claim, dataset, profile, [])
        self.end = claim.next_index + len(raw)
        wanted = [external_id.decode() for external_id in raw]
        standing = standing_documents(connection, dataset.id, wanted)
        self._versions = {external_id: document.version for external_id, document in standing.items()}
        rules = DocumentRules(dataset)
        for index, external_id in enumerate(wanted, claim.next_index):
            document = standing.get(external_id)
            if document is not None:
                # Its text is as it is stored, masked or not: offsets are offsets in that.
                self._valid.append((index, rules.standing(_as_sent(document))))

    def commit(self, connection: Connection, analysed: Sequence[AnalysedDocument], *, release: bool) -> None:
        """Stores what changed in the caller's transaction; LostClaim where the claim no longer holds."""
        commit_reanalysis(
            connection,
            self.claim,
            self.dataset,
            end=self.end,
            analysed=analysed,
            versions=self._versions,
            errors=self.errors,
            release=release,
        )


def _as_sent(document: Standing) -> SentDocument:
    metadata = _metadata(document.metadata)
    return SentDocument(document.external_id, document.content, document.lang, document.type, metadata)
