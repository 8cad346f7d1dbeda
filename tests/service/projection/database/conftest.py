"""The database itself is tested from nothing: its first use makes the tables."""

from __future__ import annotations

import pytest


@pytest.fixture
def tables() -> None:
    """None, until they are needed."""
