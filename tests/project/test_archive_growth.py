"""The benchmark of the archive's growth, with few games."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks import archive_growth

GAMES = 8


@pytest.mark.slow
def test_what_is_archived_leaves_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_growth, "THOUSAND", GAMES)
    states = list(archive_growth.measure(3 * GAMES))
    assert [state.games for state in states] == [GAMES, 2 * GAMES, 3 * GAMES]
    for state in states:
        assert 300 < state.events < 5000
        assert 300 < state.receipts < 1536
    for before, after in pairwise(states):
        grown = after.hot - before.cold
        assert grown > GAMES * 10_000
        # The newest feed entries stay in Redis.
        assert after.cold - before.cold < grown / 2
