"""A webhook's filter reveals no choice: while alike games go on, they fit the same filters.

Of a finished game it reveals what the search shows everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest

from engine.side import Side
from notation.registry import find_dialect
from service.game.state import GameState
from service.game.values import GameStatus
from tests.service.redis_server import RedisServer
from tests.service.secrets.pairs import Pair
from tests.service.secrets.twins import twins

PLIES = 16


def filters_about_the_board(states: tuple[GameState, GameState]) -> Iterator[str]:
    """Filters for what has happened on either board."""
    for state in states:
        texts = find_dialect(state.variant)
        fen = texts.write_fen(state.position.copy())
        asked = {"fen": fen, "material": texts.material(fen)}
        if state.played:
            asked["actions"] = state.played[-1].coordinate
        for name, value in asked.items():
            yield urlencode({"variant": state.variant, name: value})
        yield "min_points=0"
        yield "result=*"


def filters_about_the_game(state: GameState) -> Iterator[str]:
    """Filters for what everybody may know; the game fits some of them."""
    yield f"variant={state.variant}&status={state.status}"
    yield f"min_plies={len(state.played)}&max_plies={len(state.played)}"
    yield f"player={state.seats[0]}&opponent={state.seats[1]}"
    yield "player=the+first&side=first"
    yield "status=choosing"
    yield "computer=true"


@pytest.mark.parametrize(
    ("variant", "games"),
    [
        ("kerd", 1),
        pytest.param("kerd", 6, marks=pytest.mark.slow),
        pytest.param("kerd-draft", 6, marks=pytest.mark.slow),
    ],
)
def test_alike_games_fit_the_same_filters(
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    games: int,
) -> None:
    fitting = asked = 0
    for number in range(games):
        with twins(redis_server, tmp_path, monkeypatch, seed=number) as both:
            pair = Pair(both, variant, tuple(Side), Random(f"{variant} {number}"))
            pair.begin()
            while pair.goes_on() and len(pair.states[0].played) < PLIES:
                states = pair.states
                judges = [
                    twin.api.service.saved_queries.judge_of(state)
                    for twin, state in zip(both.both, states, strict=True)
                ]
                if all(state.status is not GameStatus.FINISHED for state in states):
                    for text in filters_about_the_board(states):
                        assert [fits(text) for fits in judges] == [False, False], text
                        asked += 1
                for text in filters_about_the_game(states[0]):
                    first, second = (fits(text) for fits in judges)
                    assert first == second, text
                    fitting += first
                if not pair.step():
                    break
    assert asked > 5 * games
    assert fitting > 3 * games
