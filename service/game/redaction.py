"""Who may know what about a game: secret choices are hidden unless the viewer is cleared.

Code that shows a position, its legal actions or a choice filters it here, for the sides that the
viewer acts for. Nobody else sees a choice before its reveal or the end of the game.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.position import Action, Position
from engine.side import Side
from notation.registry import find_dialect
from service.game.permissions import may_act_for
from service.game.state import GameState
from service.player.actor import Actor

Viewer = frozenset[Side]
"""The sides for which a viewer acts: their own seat, both for a scribe, none for a stranger."""

STRANGER: Viewer = frozenset()


def viewer(state: GameState, actor: Actor | None) -> Viewer:
    """The sides for which the actor acts in this game."""
    if actor is None:
        return STRANGER
    return frozenset(side for side in Side if may_act_for(state, actor, side))


def hidden(state: GameState, viewer: Viewer) -> Collection[Side]:
    """The sides whose choice the viewer may not know."""
    return [side for side in state.choosers if side not in viewer and side not in state.disclosed]


def seen_position(state: GameState, viewer: Viewer) -> Position:
    """A copy of the position as the viewer may know it."""
    return mask(state, state.position, viewer)


def mask(state: GameState, position: Position, viewer: Viewer) -> Position:
    """A copy of one of the game's positions as the viewer may know it."""
    sealing = find_dialect(state.variant).sealing
    unknown = hidden(state, viewer)
    return sealing.view(position, unknown) if sealing and unknown else position.copy()


def seen_actions(state: GameState, viewer: Viewer) -> Sequence[Action]:
    """The legal actions that the viewer may see."""
    sealing = find_dialect(state.variant).sealing
    unknown = hidden(state, viewer)
    position = state.position.copy()
    return sealing.visible_actions(position, unknown) if sealing and unknown else position.legal()
