"""The stores that projections are tested on."""

from __future__ import annotations

import pytest

from service.game.repository import Games
from tests.service.projection.support import memory_games


@pytest.fixture
def games() -> Games:
    return memory_games()
