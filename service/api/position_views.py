"""The positions of a game as JSON values, as a viewer may know them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from notation.registry import find_dialect
from service.boards.board_position import Course, describe_position
from service.boards.gains import Gain, list_gains, play_counted
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


def render_line(
    state: GameState, viewer: Viewer, ply: int, line: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The positions of a line that leaves a game after `ply` actions, that one first.

    The actions are played in the position as the viewer may know it, so that a line cannot ask
    for what is hidden. Raises TokenError for one that is not legal.
    """
    written = find_dialect(state.variant)
    position = find_initial_position(state)
    gains = list_gains(position, (played.action for played in state.played[:ply]))
    course = Course(ply, gains=gains)
    position = mask(state, position, viewer)
    yield describe_position(state.variant, position, course)
    for at, token in enumerate(line, ply + 1):
        action = written.resolve(position, token)
        texts = written.coordinate(action), written.san(position, action)
        gains += play_counted(position, action)
        yield describe_position(state.variant, position, Course(at, *texts, gains))


def find_first_clocks(state: GameState) -> list[int | None]:
    """What each side had on the clock before the first action, in milliseconds; None if unknown."""
    if state.clock is None:
        return [None, None]
    return [side.left for side in Clock.set_up(state.clock.control).sides]
