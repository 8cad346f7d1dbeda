"""What all tests share."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SLOW_FOLDERS = [Path(__file__).parent / name for name in ("end_to_end", "faults", "pages")]
"""Their tests start whole services or browsers: all are slow but those marked `everyday`."""
PATIENCE = {"slow": 900, "soak": 9_000}
"""Seconds after which a test so marked has failed; the others' limit is in `pyproject.toml`."""

# No test is timed: on a busy machine an example may take any time, and so may making it up.
# Properties are tried on the same examples every time; `make soak` takes the profile that draws
# new ones, and prints what draws a failing one again.
settings.register_profile(
    "movelog", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", settings.get_profile("movelog"), derandomize=False, print_blob=True
)
settings.load_profile("movelog")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of records, broken files and the perft table."""
    return Path(__file__).parent / "data"


def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays until the end: ten thousand tests and all modules."""
    gc.collect()
    gc.freeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what is slow by its folder, and give marked tests the time they may take."""
    if item.path.parent in SLOW_FOLDERS and not item.get_closest_marker("everyday"):
        item.add_marker("slow")
    for mark, seconds in PATIENCE.items():
        if item.get_closest_marker(mark) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(seconds))
