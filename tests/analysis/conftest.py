"""Where the analysis tests find data that is not part of the project."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of treebanks, or a skip where it is absent."""
    folder = DATA / "treebanks"
    if not folder.is_dir():
        pytest.skip("the treebanks of ../shared/data are not here")
    return folder
