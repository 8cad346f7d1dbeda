"""What pytest passes over.

A module with a `.pxd` beside it has no doctests: compiled, it can't be imported from the path of
its source. Nor have those that begin a process when they are imported.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import engine  # noqa: F401 - refuses compiled kernels of other sources, before anything is collected

ROOT = Path(__file__).parent
STARTING = (
    "service/operations/streams_wsgi.py",
    "service/operations/wsgi.py",
    "service/operations/gunicorn_settings.py",
    "service/cli/__main__.py",
)

collect_ignore = [
    *(str(types.with_suffix(".py")) for types in ROOT.glob("engine/**/*.pxd")),
    *(str(ROOT / name) for name in STARTING),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the tests of the API run on a cluster."""
    parser.addoption(
        "--cluster",
        action="store_true",
        help="keep the log in a Redis Cluster (the tests of the API)",
    )
