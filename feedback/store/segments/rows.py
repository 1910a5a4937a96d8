"""What a segment keeps of documents: everything that can be counted, nothing that can only be read."""

import msgspec

from feedback.domain.document import Value
from feedback.domain.findings import Found


class SegmentRows(msgspec.Struct, frozen=True):
    """Analysed documents on their way into a segment, a list a column.

    Times are epoch milliseconds. `metadata` is already typed by its definitions: Datetime as epoch milliseconds (int),
    LatLng and String as str, Boolean as bool, scores and Number as int or float.
    """

    external_ids: list[str]
    created_at: list[int]
    updated_at: list[int]
    types: list[str]
    langs: list[str]
    metadata: list[dict[str, Value]]
    found: list[Found]
