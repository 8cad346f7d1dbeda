"""Where games left the archive, compared with a scan of every earlier game."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.game.repository import Games
from service.game.state import GameState
from service.projection.database.database import Database
from service.projection.games import novelty
from service.projection.games.novelty import Novelty, find_novelty
from service.projection.games.numbers import number_of
from service.projection.games.play import play_of
from tests.service.projection.games.synthetic import make_games, read_states
from tests.service.projection.games.test_questions import fill
from tests.service.projection.support import create, end, memory_games, play


def find_by_scan(state: GameState, earlier: Sequence[GameState]) -> tuple[int | None, list[str]]:
    """The ply, and the earlier games, newest first, that reached the position before it."""
    known = [(game.id, keys_of(game)) for game in earlier]
    came = [[id for id, keys in known if key in keys] for key in keys_of(state)]
    ply = next((ply for ply, ids in enumerate(came) if ply and not ids), None)
    return ply, came[-1 if ply is None else ply - 1]


def keys_of(state: GameState) -> list[int]:
    played = play_of(state)
    assert played is not None
    return [key for key, _ in played.steps]


@pytest.mark.parametrize("together", [novelty.TOGETHER, 3])
def test_novelties_are_those_of_a_look_at_every_earlier_game(
    database: Database, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(novelty, "TOGETHER", together)
    log = memory_games()
    ids = list(make_games(log, 60, seed=3))
    fill(database, read_states(log, ids))
    states = [state for state in map(log.load, ids) if state.ending is not None]
    states.sort(key=lambda state: number_of(state.created_at, state.id), reverse=True)
    plies = set()
    for index, state in enumerate(states):
        ply, came = find_by_scan(state, states[index + 1 :])
        found = find_novelty(database, state)
        assert (found.ply, found.games) == (ply, len(came))
        assert (found.last and found.last.id) == (came[0] if came else None)
        plies.add(ply)
    # Some games left it at once, some never.
    assert {None, 1} < plies


def test_a_game_that_is_not_listed_yet_is_newer_than_all_that_are(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in "abc":
        create(games, id)
        play(games, id, 3)
        end(games, id)
    fill(database, read_states(games, "ab"))
    found = find_novelty(database, games.load("c"))
    assert (found.ply, found.games, found.last and found.last.id) == (None, 2, "b")
    monkeypatch.setattr(novelty, "COUNTED", 1)
    assert find_novelty(database, games.load("c")).games == 1
    assert find_novelty(database, games.load("a")) == Novelty(1, 0, None)
