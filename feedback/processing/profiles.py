"""What the analysis must know of a dataset, in the form that travels to the analysis processes."""

from feedback.analysis import Profile
from feedback.domain.dataset import Dataset


def profile_of(dataset: Dataset) -> Profile:
    """The analysis profile of a dataset."""
    return Profile(lang=dataset.lang, type=dataset.type, industry=dataset.industry)
