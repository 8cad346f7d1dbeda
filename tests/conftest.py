"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# No test is timed: on a busy machine an example may take any time.
settings.register_profile("movelog", deadline=None, derandomize=True)
settings.load_profile("movelog")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of records, broken files and the perft table."""
    return Path(__file__).parent / "data"
