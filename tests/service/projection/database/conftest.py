"""The database is tested from scratch: its first use creates the tables."""

from __future__ import annotations

import pytest


@pytest.fixture
def tables() -> None:
    """No tables until they are needed."""
