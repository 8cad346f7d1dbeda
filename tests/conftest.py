"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test is timed: on a busy machine an example may take any time, and so may making it up.
settings.register_profile(
    "movelog", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("movelog")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of records, broken files and the perft table."""
    return Path(__file__).parent / "data"
