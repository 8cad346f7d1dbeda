"""The positions of a game as JSON values, as a viewer may know them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.boards.board_position import Course, describe_position
from service.boards.gains import Gain, play_counted
from service.game.begin import find_initial_position
from service.game.clock import Clock
from service.game.redaction import STRANGER, Viewer, mask
from service.game.state import GameState


def render_position(state: GameState, viewer: Viewer = STRANGER) -> dict[str, Any]:
    """The position that a game stands in."""
    return next(render_positions(state, viewer, len(state.played), len(state.played)))


def render_positions(
    state: GameState, viewer: Viewer, first: int, last: int
) -> Iterator[dict[str, Any]]:
    """The positions of a game after `first` to `last` actions, of which there are so many."""
    position = find_initial_position(state)
    gains: list[Gain] = []
    clocks = find_first_clocks(state)
    settings = list(state.clock_settings)
    for ply, played in enumerate((None, *state.played[:last])):
        if played is not None:
            gains += play_counted(position, played.action)
            if played.annotation.clock is not None:
                clocks[played.side] = played.annotation.clock
        while settings and settings[0].ply <= ply:
            clocks[:] = settings.pop(0).times
        if ply >= first:
            action, san = (None, None) if played is None else (played.coordinate, played.san)
            course = Course(ply, action, san, gains, (clocks[0], clocks[1]))
            yield describe_position(state.variant, mask(state, position, viewer), course)


def find_first_clocks(state: GameState) -> list[int | None]:
    """What each side had on the clock before the first action, in milliseconds; None if unknown."""
    if state.clock is None:
        return [None, None]
    return [side.left for side in Clock.set_up(state.clock.control).sides]
