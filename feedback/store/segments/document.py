"""What a segment keeps of a document: everything that can be counted, nothing that can only be read."""

from collections.abc import Sequence

import msgspec

from feedback.domain.document import Enrichment, Topic, Value


class SegmentDocument(msgspec.Struct, frozen=True, gc=False):
    """An analysed document on its way into a segment.

    Times are epoch milliseconds. `metadata` is already typed by its definitions: Datetime as epoch milliseconds (int),
    LatLng and String as str, Boolean as bool, scores and Number as int or float.
    """

    external_id: str
    created_at: int
    updated_at: int
    type: str
    lang: str
    metadata: dict[str, Value]
    enrichments: Sequence[Enrichment]
    topics: Sequence[Topic]
    classifiers: dict[str, str]
