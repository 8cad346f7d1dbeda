from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from service.analysis import target
from service.analysis.parameters import NODES, NODES_A_PLY, Parameters, apply_default
from service.analysis.target import AnalysisView
from service.errors import BadValue
from service.game.redaction import STRANGER
from service.game.state import GameState
from tests.service.projection.support import create, memory_games, play

BOTH = frozenset(Side)
FIRST, SECOND = (frozenset({side}) for side in Side)
LIMITED = Parameters(depth=2)


@pytest.fixture
def game() -> GameState:
    """A game with nothing secret."""
    games = memory_games()
    create(games, "g")
    return play(games, "g", 3)


@pytest.fixture
def secretive(game: GameState) -> GameState:
    """The same game, as if both sides had made secret choices."""
    return replace(game, choosers=tuple(Side))


def test_a_game_without_secrets_is_known_in_full(game: GameState) -> None:
    assert {target.view_of(game, viewer) for viewer in (STRANGER, FIRST, BOTH)} == {
        AnalysisView.FULL
    }


def test_a_secret_is_its_owners(secretive: GameState) -> None:
    viewers = {
        STRANGER: AnalysisView.STRANGER,
        FIRST: AnalysisView.FIRST,
        SECOND: AnalysisView.SECOND,
        BOTH: AnalysisView.BOTH,
    }
    for viewer, view in viewers.items():
        assert target.view_of(secretive, viewer) is view
        assert target.SIDES[view] == viewer
        assert target.list_views(secretive, viewer)[-1] is AnalysisView.STRANGER
    assert target.list_views(secretive, FIRST) == [
        AnalysisView.FULL,
        AnalysisView.FIRST,
        AnalysisView.STRANGER,
    ]
    assert not target.may_have(AnalysisView.FIRST, secretive, SECOND)
    only_one = replace(secretive, choosers=(Side.FIRST,))
    assert target.view_of(only_one, BOTH) is AnalysisView.FIRST
    assert target.view_of(only_one, SECOND) is AnalysisView.STRANGER


def test_what_is_disclosed_is_everybodys(secretive: GameState) -> None:
    over = replace(secretive, disclosed=frozenset(Side))
    assert target.view_of(over, STRANGER) is AnalysisView.FULL
    assert target.list_views(over, STRANGER) == list(target.SIDES)


def test_what_is_found_with_a_secret_is_one(secretive: GameState, game: GameState) -> None:
    for viewer, secret in ((STRANGER, False), (FIRST, True), (BOTH, True)):
        for subject in (
            target.make_game_subject(secretive, viewer, LIMITED, "b"),
            target.make_ply_subject(secretive, 1, viewer, LIMITED, "b"),
        ):
            assert target.is_secret(subject.begun) is secret
            assert bool(subject.whose) is secret
            assert (subject.begun.fen is None) or not secret
    assert not target.is_secret(target.make_game_subject(game, BOTH, LIMITED, "b").begun)


def test_a_public_position_tells_of_no_game(game: GameState) -> None:
    subject = target.make_ply_subject(game, 3, STRANGER, LIMITED, "b")
    assert (subject.begun.game, subject.begun.ply) == (None, None)
    [place] = target.iterate_positions(subject.begun, None, 0)
    assert place.position.key() == game.position.copy().key()
    same = target.make_position_subject("katruji", str(subject.begun.fen), LIMITED, "b", "ada")
    assert same == subject


def test_a_games_positions_come_in_order_with_what_was_played(game: GameState) -> None:
    begun = target.make_game_subject(game, STRANGER, LIMITED, "b").begun
    assert begun.positions == 4
    found = list(target.iterate_positions(begun, game, 0))
    assert [place.played for place in found] == [*(p.coordinate for p in game.played), None]
    assert found[-1].position.key() == game.position.copy().key()
    assert [p.played for p in target.iterate_positions(begun, game, 2)] == [found[2].played, None]
    assert list(target.iterate_positions(begun, game, 4)) == []


def test_a_game_has_no_ply_beyond_its_end(game: GameState) -> None:
    with pytest.raises(BadValue, match="ply"):
        target.make_ply_subject(game, 4, STRANGER, LIMITED, "b")


def test_there_is_always_a_limit() -> None:
    assert apply_default(Parameters(lines=3), whole_game=False) == Parameters(nodes=NODES, lines=3)
    assert apply_default(Parameters(seed=3), whole_game=True).limits == {"nodes": NODES_A_PLY}
    assert apply_default(LIMITED, whole_game=True) == LIMITED
