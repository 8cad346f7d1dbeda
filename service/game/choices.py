"""Choices made in secret before the first move: how one is made, and when it is disclosed.

The log's public part holds only commitments. A state holds the choices themselves if they could be
unsealed when it was folded; `service.game.redaction` decides who may see what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.side import Side
from notation.registry import find_dialect
from service.errors import BadValue
from service.game import begin as beginning
from service.game.commands import Choose
from service.game.endings import agreement, make_end
from service.game.errors import AlreadyChosen, NotChoosing
from service.game.events import ChoiceDisclosed, ChoiceSealed, GameEnded
from service.game.importing import first_position
from service.game.permissions import acting_side
from service.game.state import GameState
from service.game.values import GameStatus
from service.log.values import Event
from service.player.actor import Actor


def make_choice(command: Choose, state: GameState, actor: Actor) -> Sequence[Event]:
    """Make the events of a side's choice; raises what `acting_side` and `seal_choice` raise.

    In a composed position the choices may leave no legal action: then the game ends with them.
    """
    choice = seal_choice(state, acting_side(state, actor, command.side), command)
    after = beginning.apply_choice(state, choice, state.updated_at)
    if after.status is not GameStatus.RUNNING:
        return (choice,)
    outcome = agreement(after).outcome(after.position.copy(), after.plies)
    return (choice,) if outcome is None else (choice, make_end(after, outcome))


def seal_choice(state: GameState, side: Side, command: Choose) -> ChoiceSealed:
    """Make the event of the choice; raises NotChoosing, AlreadyChosen, BadChoice or BadValue."""
    sealing = find_dialect(state.variant).sealing
    if sealing is None or state.status is not GameStatus.CHOOSING or side not in state.choosers:
        raise NotChoosing
    if state.choices[side] is not None:
        raise AlreadyChosen
    if not sealing.is_nonce(command.nonce):
        raise BadValue("nonce", "at least 32 lowercase hex digits, new and random")
    position = first_position(state.variant, state.fen, state.tags)
    sealing.check(position, side, command.choice)
    return ChoiceSealed(
        side=side,
        commitment=sealing.commitment(command.choice, command.nonce),
        choice=command.choice,
        nonce=command.nonce,
    )


def list_choices(state: GameState) -> Mapping[Side, Sequence[str]]:
    """List what each side that has yet to choose may choose; empty outside the choosing phase."""
    sealing = find_dialect(state.variant).sealing
    if sealing is None or state.status is not GameStatus.CHOOSING:
        return {}
    position = first_position(state.variant, state.fen, state.tags)
    open_sides = [side for side in state.choosers if state.choices[side] is None]
    return {side: sealing.choices(position, side) for side in open_sides}


def disclose_choices(state: GameState, made: Sequence[Event]) -> Sequence[Event]:
    """Make the events that disclose the choices if the `made` events end the game.

    Choices that an earlier end disclosed are not disclosed again (Ruling R35).
    """
    if not any(isinstance(event, GameEnded) for event in made):
        return ()
    for event in made:
        if isinstance(event, ChoiceSealed):
            state = beginning.apply_choice(state, event, state.updated_at)
    return [
        ChoiceDisclosed(side=side, choice=choice.choice, nonce=choice.nonce)
        for side, choice in zip(Side, state.choices, strict=True)
        if choice is not None
        and choice.choice is not None
        and choice.nonce is not None
        and side not in state.disclosed
    ]
