"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SLOW_FOLDERS = [Path(__file__).parent / name for name in ("end_to_end", "faults", "pages")]
"""Folders whose tests start whole services or browsers: all slow unless marked `everyday`."""
PATIENCE = {"slow": 900, "soak": 9_000}
"""Timeout in seconds by marker; the default is in `pyproject.toml`."""

# No deadline: on a busy machine, running or generating an example may take any time.
# Properties run on the same examples every time; `make soak` uses the profile that draws
# new ones, and prints how to reproduce a failing one.
settings.register_profile(
    "movelog", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", settings.get_profile("movelog"), derandomize=False, print_blob=True
)
settings.load_profile("movelog")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the records, the damaged files and the perft table."""
    return Path(__file__).parent / "data"


def pytest_configure() -> None:
    """Collect garbage rarely: it would take a tenth of the tests' time."""
    gc.set_threshold(50_000, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Name the failed tests again: their messages are long, and a log may keep only its end."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    for report in (*reporter.stats.get("error", ()), *reporter.stats.get("failed", ())):
        reporter.write_line(f"{report.outcome} in {report.when}: {report.nodeid}")


def pytest_collection_finish() -> None:
    """Exempt modules and ten thousand tests, all needed to the end, from garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests in slow folders, and give each marked test its timeout."""
    if item.path.parent in SLOW_FOLDERS and not item.get_closest_marker("everyday"):
        item.add_marker("slow")
    for mark, seconds in PATIENCE.items():
        if item.get_closest_marker(mark) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(seconds))
