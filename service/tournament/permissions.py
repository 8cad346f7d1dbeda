"""Who may direct a tournament, and when."""

from __future__ import annotations

from service.errors import BadValue
from service.game.permissions import directs, require_scope
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from service.tournament.errors import NotTheArbiter, SelfEntryRefused, TournamentOver
from service.tournament.state import TournamentState


def require_arbiter(state: TournamentState, actor: Actor) -> None:
    """Raise MissingScope or NotTheArbiter unless the actor is an arbiter of the tournament."""
    require_directing_scope(actor, state.rules.rated)
    if not directs(state.arbiters, actor, state.rules.rated):
        raise NotTheArbiter


def require_directing_scope(actor: Actor, rated: bool) -> None:
    """Raise MissingScope unless the actor's token may direct a tournament with such games."""
    if ARBITER not in actor.scopes:
        require_scope(actor, ARBITER if rated else PLAY)


def require_entering(state: TournamentState, actor: Actor, player: str) -> None:
    """Raise unless the actor may enter or withdraw this player.

    Arbiters may do so for everybody, and players for themselves while self-entry is open. Raises
    SelfEntryRefused, MissingScope or NotTheArbiter.
    """
    if actor.player != player or directs(state.arbiters, actor, state.rules.rated):
        require_arbiter(state, actor)
        return
    require_scope(actor, PLAY)
    if not state.self_entry:
        raise SelfEntryRefused


def require_unfinished(state: TournamentState) -> None:
    """Raise TournamentOver if the tournament is finished or cancelled."""
    if state.over:
        raise TournamentOver(state.status)


def require_entered(state: TournamentState, player: str) -> None:
    """Raise BadValue unless the player has entered and not withdrawn."""
    if player not in state.entries or player in state.withdrawn:
        raise BadValue("player", "is not in the tournament")
