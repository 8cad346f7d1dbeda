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


class Replay:
    """A game replayed up to some action, with what its positions alone do not show.

    It can be advanced, and belongs to one thread at a time.
    """

    def __init__(self, state: GameState) -> None:
        self.ply = 0
        self._state = state
        self._position = find_initial_position(state)
        self._gains: list[Gain] = []
        self._clocks = find_first_clocks(state)
        self._settings = 0
        self._set_clocks()

    def leads_to(self, state: GameState) -> bool:
        """Whether a state of the same game continues what was replayed."""
        known = self._state
        return (
            state.played[: self.ply] == known.played[: self.ply]
            and state.choices == known.choices
            and state.clock_settings[: self._settings] == known.clock_settings[: self._settings]
        )

    def advance(self, state: GameState, ply: int) -> None:
        """Replay a state that continues this one, up to its action `ply` if it is not there yet."""
        self._state = state
        self._set_clocks()
        for played in state.played[self.ply : ply]:
            self.ply += 1
            self._gains += play_counted(self._position, played.action)
            if played.annotation.clock is not None:
                self._clocks[played.side] = played.annotation.clock
            self._set_clocks()

    def _set_clocks(self) -> None:
        """Set the clocks to what an arbiter has set them to by now."""
        for setting in self._state.clock_settings[self._settings :]:
            if setting.ply > self.ply:
                return
            self._clocks[:] = setting.times
            self._settings += 1

    def render(self, viewer: Viewer) -> dict[str, Any]:
        """The position reached, as a viewer may know it."""
        state, position = self._state, self._position
        played = state.played[self.ply - 1] if self.ply else None
        action, san = (None, None) if played is None else (played.coordinate, played.san)
        first, second = self._clocks
        course = Course(self.ply, action, san, self._gains, (first, second))
        return describe_position(state.variant, mask(state, position, viewer), course)


def render_position(state: GameState, viewer: Viewer = STRANGER) -> dict[str, Any]:
    """The current position of a game."""
    return next(render_positions(state, viewer, len(state.played), len(state.played)))


def render_positions(
    state: GameState, viewer: Viewer, first: int, last: int
) -> Iterator[dict[str, Any]]:
    """The positions of a game after `first` to `last` actions."""
    replay = Replay(state)
    for ply in range(first, last + 1):
        replay.advance(state, ply)
        yield replay.render(viewer)


def render_line(
    state: GameState, viewer: Viewer, ply: int, line: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The positions of a line that leaves a game after `ply` actions, beginning with that one.

    The actions are played in the position as the viewer may know it, so that a line cannot reveal
    what is hidden. Raises TokenError for an action that is not legal.
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
