"""Who may rule on a tournament, and when."""

from __future__ import annotations

from service.errors import BadValue
from service.game.permissions import needs
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.tournament.errors import NotTheArbiter, TournamentOver
from service.tournament.state import TournamentState


def official(state: TournamentState, actor: Actor) -> None:
    """Raise MissingScope or NotTheArbiter unless the actor may rule on the tournament."""
    needs(actor, ARBITER)
    if actor.player not in state.arbiters:
        raise NotTheArbiter


def going_on(state: TournamentState) -> None:
    """Raise TournamentOver once it is finished."""
    if state.finished:
        raise TournamentOver


def present(state: TournamentState, player: str) -> None:
    """Raise BadValue unless the player has entered and not withdrawn."""
    if player not in state.entries or player in state.withdrawn:
        raise BadValue("player", "is not in the tournament")
