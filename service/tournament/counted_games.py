"""Games as a tournament sees them."""

from __future__ import annotations

from notation.game import UNFINISHED
from service.game.state import GameState
from service.tournament.errors import CannotJoin
from service.tournament.values import Finished


def require_finished(game: GameState) -> Finished:
    """Convert an ended game to what a tournament needs of it; raises CannotJoin for other games."""
    if game.ending is None:
        raise CannotJoin("it is not over")
    return summarise_game(game)


def summarise_game(game: GameState) -> Finished:
    """Convert a game to what a tournament counts of it.

    There is no result and no termination while the game goes on.
    """
    scored = game.score is not None and game.score.ending == game.ending
    return Finished(
        id=game.id,
        version=game.version,
        variant=game.variant,
        creator=game.creator,
        seats=game.seats,
        result=game.ending.result if game.ending else UNFINISHED,
        termination=game.ending.termination if game.ending else None,
        points=game.score.points if game.score is not None and scored else None,
        plies=game.plies,
    )
