"""Analyses of finished games that everybody may know completely."""

from __future__ import annotations

from service.analysis.state import AnalysisEnding, AnalysisState
from service.analysis.target import AnalysisView
from service.analysis.view import read_course
from service.game.permissions import hidden_choices
from service.game.state import GameState
from service.game.terms import Visibility


def covers_finished_game(state: AnalysisState, game: GameState) -> bool:
    """Whether an analysis covers all of a finished public game and reveals no secret.

    The game is over now, even if it was not when it was analysed, and all its actions were
    analysed.
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
