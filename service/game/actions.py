"""Playing an action."""

from __future__ import annotations

from collections.abc import Sequence

from engine.side import Side
from notation.registry import find_dialect
from service.game import commands, events
from service.game.annotating import check_played_annotation
from service.game.endings import agreement, make_end
from service.game.errors import NotRunning, NotYourTurn
from service.game.permissions import (
    acting_side,
    may_act_for,
    require_scope,
    require_undecided,
    title,
)
from service.game.redaction import seen_position, viewer
from service.game.state import GameState
from service.game.values import GameStatus
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import PLAY


def play_action(command: commands.PlayAction, state: GameState, actor: Actor) -> Sequence[Event]:
    """Play the action that the text stands for, and end the game if the action ends it.

    Raises NotRunning, StillDecided, NotASeat, NotYourTurn, MissingScope, BadValue, BadAnnotation,
    ReservedCommand, AnnotationTooLarge, and what `Dialect.resolve` raises for text that stands for
    no legal action.
    """
    if state.status is not GameStatus.RUNNING:
        raise NotRunning(state.status)
    require_undecided(state)
    side = Side(state.position.side)
    if not may_act_for(state, actor, side):
        acting_side(state, actor, None)
        raise NotYourTurn(title(state, side))
    require_scope(actor, PLAY)
    check_played_annotation(command.annotation, state)
    texts = find_dialect(state.variant)
    # Read as the player knows the position, so that a refusal reveals nothing secret.
    action = texts.resolve(seen_position(state, viewer(state, actor)), command.token)
    position = state.position.copy()
    san = texts.san(position, action)
    position.play(action)
    note = command.annotation
    played = events.ActionPlayed(
        ply=len(state.played) + 1,
        action=texts.coordinate(action),
        san=san,
        nags=note.nags,
        before=note.before,
        after=note.after,
        clock=note.clock,
        elapsed=note.elapsed,
    )
    plies = state.plies + (position.side != side)
    outcome = agreement(state).outcome(position, plies)
    return (played,) if outcome is None else (played, make_end(state, outcome, position))
