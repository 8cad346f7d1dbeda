"""Commands by which players agree on a draw or a retraction, or resign."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import Outcome, Termination
from engine.side import Side
from service.game import commands, events
from service.game.endings import agree_draw, make_end
from service.game.errors import AlreadyOffered, NothingToRetract
from service.game.permissions import acting_side, answer, require_running, require_undecided
from service.game.state import GameState
from service.game.values import Retraction
from service.log.values import Event
from service.player.actor import Actor


def offer_draw(command: commands.OfferDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """Offer a draw, or agree to the other side's offer; raises AlreadyOffered."""
    require_undecided(state)
    side = acting_side(state, actor, command.side)
    if state.draw_offer is side:
        raise AlreadyOffered("draw")
    if state.draw_offer is side.other:
        return agree_draw(state)
    return (events.DrawOffered(side=side),)


def accept_draw(command: commands.AcceptDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """Accept the other side's draw offer, which ends the game; raises NothingOffered."""
    require_undecided(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return agree_draw(state)


def decline_draw(command: commands.DeclineDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    """Decline the other side's draw offer; raises NothingOffered."""
    require_running(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return (events.DrawDeclined(),)


def resign(command: commands.Resign, state: GameState, actor: Actor) -> Sequence[Event]:
    """End the game with a win for the other side."""
    require_undecided(state)
    side = acting_side(state, actor, command.side)
    return (make_end(state, Outcome(side.other, Termination.RESIGNATION)),)


def offer_retraction(
    command: commands.OfferRetraction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Request a retraction, or carry it out if the other side has requested the same one.

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
    """Carry out the retraction that the other side has requested; raises NothingOffered."""
    offer = answer_retraction(state, actor, command.side)
    return (events.ActionsRetracted(to_ply=offer.to_ply),)


def decline_retraction(
    command: commands.DeclineRetraction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Decline the other side's retraction request; raises NothingOffered."""
    answer_retraction(state, actor, command.side)
    return (events.RetractionDeclined(),)


def answer_retraction(state: GameState, actor: Actor, side: Side | None) -> Retraction:
    """The other side's retraction request that this actor may answer; raises NothingOffered."""
    require_running(state)
    offer = state.retraction
    answer(state, actor, side, "retraction", offer.side if offer else None)
    assert offer is not None
    return offer


def find_ply_before(state: GameState, plies: int) -> int:
    """The ply to go back to when the last `plies` actions are retracted."""
    if not 1 <= plies <= len(state.played):
        raise NothingToRetract(plies, len(state.played))
    return len(state.played) - plies
