"""The documented list of error codes is the list in the code."""

import re
from pathlib import Path

from feedback.api.errors import STATUS
from feedback.errors import Code, FeedbackError

PAGE = (Path(__file__).parent.parent / "docs" / "errors.md").read_text(encoding="utf-8")


def test_every_code_is_documented_once_and_no_other() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == [code.value for code in Code]


def test_every_error_a_caller_may_see_has_a_status_that_is_documented() -> None:
    assert set(STATUS) == set(FeedbackError.__subclasses__())
    documented = {int(status) for status in re.findall(r"^\| (\d{3}) \|", PAGE, re.MULTILINE)}
    assert set(STATUS.values()) <= documented
