"""Choices made in secret before the first move: what making one does, and when it is told.

The log's public part holds commitments alone. A state holds the choices themselves where whoever
folded it could unseal them; `service.game.redaction` says who is shown what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.side import Side
from notation.registry import dialect
from service.errors import BadValue
from service.game import begin as beginning
from service.game.commands import Choose
from service.game.endings import agreement, make_end
from service.game.errors import AlreadyChosen, NotChoosing
from service.game.events import ChoiceDisclosed, ChoiceSealed, GameEnded
from service.game.importing import first_position
from service.game.permissions import acting_side
from service.game.state import GameState
from service.game.values import Status
from service.log.values import Event
from service.player.actor import Actor


def make_choice(command: Choose, state: GameState, actor: Actor) -> Sequence[Event]:
    """The events of a side's choice; raises what `acting_side` and `sealed` raise.

    In a composed position what was chosen may leave nothing to play.
    """
    choice = sealed(state, acting_side(state, actor, command.side), command)
    after = beginning.chosen(state, choice)
    if after.status is not Status.RUNNING:
        return (choice,)
    outcome = agreement(after).outcome(after.position.copy(), after.plies)
    return (choice,) if outcome is None else (choice, make_end(after, outcome))


def sealed(state: GameState, side: Side, command: Choose) -> ChoiceSealed:
    """The event of the choice itself; raises NotChoosing, AlreadyChosen, BadChoice or BadValue."""
    sealing = dialect(state.variant).sealing
    if sealing is None or state.status is not Status.CHOOSING or side not in state.choosers:
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


def choosable(state: GameState) -> Mapping[Side, Sequence[str]]:
    """What each side that has still to choose can choose; nothing outside of that time."""
    sealing = dialect(state.variant).sealing
    if sealing is None or state.status is not Status.CHOOSING:
        return {}
    position = first_position(state.variant, state.fen, state.tags)
    open_sides = [side for side in state.choosers if state.choices[side] is None]
    return {side: sealing.choices(position, side) for side in open_sides}


def disclosed(state: GameState, made: Sequence[Event]) -> Sequence[Event]:
    """What must be told beside these events: every choice, once the game has ended.

    What an earlier end has told is not told again (Ruling R35).
    """
    if not any(isinstance(event, GameEnded) for event in made):
        return ()
    for event in made:
        if isinstance(event, ChoiceSealed):
            state = beginning.chosen(state, event)
    return [
        ChoiceDisclosed(side=side, choice=choice.choice, nonce=choice.nonce)
        for side, choice in zip(Side, state.choices, strict=True)
        if choice is not None
        and choice.choice is not None
        and choice.nonce is not None
        and side not in state.disclosed
    ]
