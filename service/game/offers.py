"""Commands by which the players agree: draws, retractions; and giving the game up."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import Outcome, Termination
from service.game import commands, events
from service.game.endings import agree_draw, make_end
from service.game.errors import AlreadyOffered, NothingToRetract
from service.game.permissions import acting_side, answer, require_running, require_undecided
from service.game.state import GameState
from service.game.values import Retraction
from service.log.values import Event
from service.player.actor import Actor


def offer_draw(command: commands.OfferDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """A draw offer, or the drawn end where the other side has one open; raises AlreadyOffered."""
    require_undecided(state)
    side = acting_side(state, actor, command.side)
    if state.draw_offer is side:
        raise AlreadyOffered("draw")
    if state.draw_offer is side.other:
        return agree_draw(state)
    return (events.DrawOffered(side=side),)


def accept_draw(command: commands.AcceptDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """The drawn end that the other side has offered; raises NothingOffered."""
    require_undecided(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return agree_draw(state)


def decline_draw(command: commands.DeclineDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """A refused draw; raises NothingOffered."""
    require_running(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return (events.DrawDeclined(),)


def resign(command: commands.Resign, state: GameState, actor: Actor) -> Sequence[Event]:
    """The end of the game, won by the other side."""
    require_undecided(state)
    side = acting_side(state, actor, command.side)
    return (make_end(state, Outcome(side.other, Termination.RESIGNATION)),)


def offer_retraction(
    command: commands.OfferRetraction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """A retraction offer, or the retraction itself where the other side has offered the same.

    Raises AlreadyOffered or NothingToRetract.
    """
    require_running(state)
    side = acting_side(state, actor, command.side)
    if state.retraction is not None and state.retraction.side is side:
        raise AlreadyOffered("retraction")
    to_ply = find_ply_before(state, command.plies)
    if state.retraction == Retraction(side.other, to_ply):
        return (events.ActionsRetracted(to_ply=to_ply),)
    return (events.RetractionOffered(side=side, to_ply=to_ply),)


def accept_retraction(
    command: commands.AcceptRetraction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """The retraction that the other side has offered; raises NothingOffered."""
    require_running(state)
    offer = state.retraction
    answer(state, actor, command.side, "retraction", offer.side if offer else None)
    assert offer is not None
    return (events.ActionsRetracted(to_ply=offer.to_ply),)


def decline_retraction(
    command: commands.DeclineRetraction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """A refused retraction; raises NothingOffered."""
    require_running(state)
    offer = state.retraction
    answer(state, actor, command.side, "retraction", offer.side if offer else None)
    return (events.RetractionDeclined(),)


def find_ply_before(state: GameState, plies: int) -> int:
    """The ply to go back to when the last `plies` actions are retracted."""
    if not 1 <= plies <= len(state.played):
        raise NothingToRetract(plies, len(state.played))
    return len(state.played) - plies
