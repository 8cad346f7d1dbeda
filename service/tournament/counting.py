"""Games as a tournament sees them."""

from __future__ import annotations

from notation.game import UNFINISHED
from service.game.state import GameState
from service.tournament.errors import CannotJoin
from service.tournament.values import Finished


def finished(game: GameState) -> Finished:
    """An ended game as a tournament sees it; raises CannotJoin for another."""
    if game.ending is None:
        raise CannotJoin("it is not over")
    return counted(game)


def counted(game: GameState) -> Finished:
    """What a game reports to a tournament; no result and no termination while it goes on."""
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
