"""Which analyses cover a finished game, and hold nothing that somebody may not know."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from service.analysis.events import AnalysisEnded
from service.analysis.finished_game import covers_finished_game
from service.analysis.state import AnalysisState, Looked
from service.analysis.target import AnalysisView
from service.game.state import GameState
from service.game.terms import Visibility
from tests.service.analysis.support import analysed, found
from tests.service.projection.support import create, end, memory_games, play

OTHER_ENDS = ("cancelled", "quarantined", "replaced")


@pytest.fixture
def game() -> GameState:
    games = memory_games()
    create(games, "g")
    play(games, "g", 3)
    return end(games, "g", "1-0")


@pytest.fixture
def state(game: GameState) -> AnalysisState:
    """A complete analysis of the game."""
    findings = [found(played=one.coordinate) for one in game.played]
    made = analysed(*findings, found())
    begun = replace(made.begun, game="g", ply=None, view=AnalysisView.FULL)
    return replace(made, begun=begun, ended=AnalysisEnded(state="done"))


def test_it_covers_a_game_that_is_over(state: AnalysisState, game: GameState) -> None:
    assert covers_finished_game(state, game)


def test_it_covers_no_game_that_goes_on_or_went_on(state: AnalysisState, game: GameState) -> None:
    assert not covers_finished_game(state, replace(game, ending=None))
    assert not covers_finished_game(state, replace(game, played=game.played[:2]))
    longer = replace(game, played=(*game.played, game.played[0]))
    assert not covers_finished_game(state, longer)


def test_it_covers_no_game_whose_choices_somebody_may_not_know(
    state: AnalysisState, game: GameState
) -> None:
    secretive = replace(game, choosers=tuple(Side))
    assert not covers_finished_game(state, secretive)
    half = replace(secretive, disclosed=frozenset({Side.FIRST}))
    assert not covers_finished_game(state, half)
    assert covers_finished_game(state, replace(secretive, disclosed=frozenset(Side)))


@pytest.mark.parametrize("view", [view for view in AnalysisView if view is not AnalysisView.FULL])
def test_an_analysis_with_another_view_covers_none(
    state: AnalysisState, game: GameState, view: AnalysisView
) -> None:
    assert not covers_finished_game(replace(state, begun=replace(state.begun, view=view)), game)


def test_a_private_challenge_is_not_covered(state: AnalysisState, game: GameState) -> None:
    private = replace(game.terms, visibility=Visibility.PRIVATE)
    assert not covers_finished_game(state, replace(game, terms=private))


def test_it_has_to_be_whole_and_done(state: AnalysisState, game: GameState) -> None:
    for ended in (None, *(AnalysisEnded(state=one) for one in OTHER_ENDS)):
        assert not covers_finished_game(replace(state, ended=ended), game)
    assert not covers_finished_game(replace(state, looked=state.looked[:-1]), game)
    left_out = (Looked(9, None, "it kills workers"), *state.looked[1:])
    assert not covers_finished_game(replace(state, looked=left_out), game)
    assert not covers_finished_game(replace(state, begun=replace(state.begun, ply=2)), game)
