"""The table of usual days says what the calendar says."""

import numpy as np
import pytest

from feedback.aggregation.calendar import FIRST_DAY, LAST_DAY, buckets, stretch
from feedback.aggregation.rules import Grouping

UNITS = (Grouping.YEAR, Grouping.MONTH, Grouping.WEEK, Grouping.DAY)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("first", [FIRST_DAY - 2, FIRST_DAY, -3, 0, LAST_DAY - 3, LAST_DAY, LAST_DAY + 1])
def test_a_stretch_of_days_has_the_buckets_of_its_days(unit: Grouping, first: int) -> None:
    assert stretch(first, first + 3, unit).tolist() == buckets(np.arange(first, first + 4), unit).tolist()
