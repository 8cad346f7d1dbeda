"""Archives to verify."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.verification.support import Archive, archive, played, sealed


@pytest.fixture
def empty(tmp_path: Path) -> Archive:
    """An archive without a game."""
    return archive(tmp_path)


@pytest.fixture
def katruji(tmp_path: Path) -> Archive:
    """An archive with an ended game of Katruji."""
    return played(tmp_path)


@pytest.fixture
def kerd(tmp_path: Path) -> Archive:
    """An archive with an ended game of Kerd."""
    return sealed(tmp_path)
