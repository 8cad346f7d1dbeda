"""Analyses of games that are over, of which everybody may know everything."""

from __future__ import annotations

from service.analysis.state import AnalysisEnding, AnalysisState
from service.analysis.target import AnalysisView
from service.analysis.view import read_course
from service.game.permissions import hidden_choices
from service.game.state import GameState
from service.game.terms import Visibility


def covers_finished_game(state: AnalysisState, game: GameState) -> bool:
    """Whether an analysis has looked at all of a public game that is over, and tells no secret.

    The game is over now, whatever it was when it was analysed, and its actions are those that were
    looked at.
    """
    begun, ended = state.begun, state.ended
    return (
        state.whole_game
        and begun.view == AnalysisView.FULL
        and ended is not None
        and ended.state == AnalysisEnding.DONE
        and is_public(game)
        and read_course(state) == [*(played.coordinate for played in game.played), None]
    )


def is_public(game: GameState) -> bool:
    """Whether a game is over, its choices are disclosed, and it came from no private challenge."""
    return (
        game.ending is not None
        and not hidden_choices(game)
        and game.terms.visibility is Visibility.PUBLIC
    )
