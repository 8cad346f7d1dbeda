"""Who may direct a tournament, and when."""

from __future__ import annotations

from service.errors import BadValue
from service.game.permissions import directs, require_scope
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.tournament.errors import NotTheArbiter, TournamentOver
from service.tournament.state import TournamentState


def require_arbiter(state: TournamentState, actor: Actor) -> None:
    """Raise MissingScope or NotTheArbiter unless the actor is an arbiter of the tournament."""
    require_scope(actor, ARBITER)
    if not directs(state.arbiters, actor):
        raise NotTheArbiter


def require_unfinished(state: TournamentState) -> None:
    """Raise TournamentOver if the tournament is finished."""
    if state.finished:
        raise TournamentOver


def require_entered(state: TournamentState, player: str) -> None:
    """Raise BadValue unless the player has entered and not withdrawn."""
    if player not in state.entries or player in state.withdrawn:
        raise BadValue("player", "is not in the tournament")
