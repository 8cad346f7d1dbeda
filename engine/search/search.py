"""The search as others call it: deepening by deepening from the root (`Search.iterate`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from engine.outcome import Outcome, decided_by_points
from engine.position import MAX_DEPTH, Action, Position
from engine.search.alphabeta import AlphaBeta
from engine.search.iteration import Iteration, Line
from engine.search.limits import Limits
from engine.search.score import WIN, is_decided, plies_to_end
from engine.search.table import Table
from engine.search.techniques import Techniques

if TYPE_CHECKING:
    from engine.variant import Variant

POLLED: Final = 2048
"""Nodes between two looks at the clock and at `stop`."""
INFINITE: Final = WIN + 1
NARROW: Final = 120
"""Half the width of the first window around the score before."""
ASPIRING_DEPTH: Final = 4


def never() -> bool:
    """The `stop` of a search that nobody stops."""
    return False


def evaluate(variant: Variant, position: Position) -> int:
    """The static evaluation of a position that is not over, from the view of the side to act.

    Hundredths of the game's unit; the terms are in `engine/<game>/evaluation.py`.
    """
    return variant.tree(position).evaluate()


class Stopped(Exception):
    """A limit is reached, or `stop` said so: no error, but the way out of any depth."""


class Search:
    """A search of one variant's positions, with what it remembers from one to the next.

    `table_mebibytes` (1 to 4096) is the size of the transposition table; `seed` decides between
    equal actions; `techniques` are the variant's own unless given; with `draw_by_points` a draw
    goes to the side with more points, where the variant has that; `clock` tells seconds. A new or
    `forget`ful search gives the same results for the same seed, position and limits of depth and
    nodes, compiled or pure.
    """

    def __init__(
        self,
        variant: Variant,
        *,
        table_mebibytes: int = 16,
        seed: int = 0,
        techniques: Techniques | None = None,
        draw_by_points: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.variant = variant
        self.techniques = techniques or variant.techniques
        self.draw_by_points = draw_by_points
        self._mebibytes = table_mebibytes
        self._table = Table(table_mebibytes)
        self._seed = seed
        self._clock = clock

    def forget(self) -> None:
        """Empty the transposition table."""
        self._table = Table(self._mebibytes)

    def iterate(
        self,
        position: Position,
        limits: Limits,
        *,
        lines: int = 1,
        actions: Collection[Action] | None = None,
        stop: Callable[[], bool] = never,
    ) -> Iterator[Iteration]:
        """Search deeper and deeper; yield what each deepening found.

        `lines` best actions are given exact scores; with `actions` only these, legal ones and
        at least one, are looked at from the root. The position is not changed. `stop` is asked
        every `POLLED` nodes. Whatever ends the search, there is at least one iteration, and
        lines in it; the last one may be incomplete. ValueError if `lines` is not positive.
        """
        if lines < 1:
            raise ValueError(lines)
        outcome = position.outcome()
        if outcome is not None:
            yield Iteration(0, 0, 0, 0.0, (Line(self._final(outcome, position), ()),), True)
            return
        root = _Root(self, position, limits, lines, actions, stop)
        for depth in range(1, (limits.depth or MAX_DEPTH) + 1):
            iteration = root.deepen(depth)
            yield iteration
            if not iteration.complete or _settled(iteration):
                return

    def _final(self, outcome: Outcome, position: Position) -> int:
        """The score of a finished game."""
        points = position.points()
        if self.draw_by_points and points is not None:
            outcome = decided_by_points(outcome, points)
        if outcome.winner is None:
            return 0
        return WIN if outcome.winner == position.side else -WIN


def _settled(iteration: Iteration) -> bool:
    """Whether no deeper search changes anything: every line has an end that was reached."""
    return all(
        is_decided(line.score) and plies_to_end(line.score) <= iteration.depth
        for line in iteration.lines
    )


@dataclass(frozen=True, slots=True)
class _Best:
    """The best lines found at one depth, best first, of those found equal the first."""

    lines: tuple[Line, ...]
    wanted: int

    @property
    def least(self) -> int:
        """What a further action must exceed."""
        return self.lines[-1].score if len(self.lines) == self.wanted else -INFINITE

    def with_line(self, line: Line) -> _Best:
        """These and one more, the worst left out where they are too many."""
        ranked = sorted((*self.lines, line), key=lambda one: -one.score)
        return _Best(tuple(ranked[: self.wanted]), self.wanted)


class _Root:
    """One search: its actions in the order in which they are tried, and the lines so far."""

    def __init__(
        self,
        search: Search,
        position: Position,
        limits: Limits,
        lines: int,
        actions: Collection[Action] | None,
        stop: Callable[[], bool],
    ) -> None:
        search._table.begin()
        self.clock = search._clock
        self.begun = self.clock()
        self.limits = limits
        self.stop = stop
        self.techniques = search.techniques
        self.table = search._table
        self.tree = search.variant.tree(position)
        self.tree.by_points = int(search.draw_by_points)
        self.core = AlphaBeta(self.tree, self.table, self.techniques, self.poll)
        self.core.pause = self.pause(0)
        legal = position.legal()
        self.actions = legal if actions is None else [a for a in legal if a in actions]
        Random(search._seed).shuffle(self.actions)
        self.wanted = min(lines, len(self.actions))
        # What there is to say before anything was searched.
        standing = self.tree.evaluate()
        self.found = tuple(Line(standing, (action,)) for action in self.actions[: self.wanted])

    def poll(self, nodes: int) -> int:
        """See `AlphaBeta`; raises Stopped."""
        limits = self.limits
        if limits.nodes is not None and nodes >= limits.nodes:
            raise Stopped
        if limits.seconds is not None and self.clock() - self.begun >= limits.seconds:
            raise Stopped
        if self.stop():
            raise Stopped
        return self.pause(nodes)

    def pause(self, nodes: int) -> int:
        """The number of nodes at which to poll next."""
        if self.limits.nodes is None:
            return nodes + POLLED
        return min(nodes + POLLED, self.limits.nodes)

    def deepen(self, depth: int) -> Iteration:
        """Search all actions to a depth, as far as the limits allow."""
        self.core.deepest = 0
        best = _Best((), self.wanted)
        complete = True
        try:
            for found in self.improve(depth):
                best = found
        except Stopped:
            complete = False
        self.settle(best.lines)
        return Iteration(
            depth,
            self.core.deepest,
            self.core.nodes,
            self.clock() - self.begun,
            self.found,
            complete,
        )

    def settle(self, lines: Sequence[Line]) -> None:
        """Keep what was found, with earlier lines as far as some are missing, and try it first."""
        known = {line.actions[0] for line in lines}
        older = [line for line in self.found if line.actions[0] not in known]
        self.found = (*lines, *older)[: self.wanted]
        leading = [line.actions[0] for line in self.found]
        self.actions = leading + [action for action in self.actions if action not in leading]

    def improve(self, depth: int) -> Iterator[_Best]:
        """The best lines at a depth, each time that there are better ones."""
        low, high = -INFINITE, INFINITE
        before = self.found[0].score
        if (
            self.techniques.aspiration
            and self.wanted == 1
            and depth >= ASPIRING_DEPTH
            and not is_decided(before)
        ):
            low, high = before - NARROW, before + NARROW
        while True:
            best = None
            for best in self.scan(depth, low, high):
                yield best
            if best is None:
                low = -INFINITE
            elif best.lines[0].score >= high:
                high = INFINITE
                self.settle(best.lines)
            else:
                return

    def scan(self, depth: int, low: int, high: int) -> Iterator[_Best]:
        """The same within a window; what reaches its upper end is only a bound, and the last."""
        best = _Best((), self.wanted)
        for action in self.actions:
            least = max(low, best.least)
            score = self.score(action, depth, least, high, sure=len(best.lines) < self.wanted)
            if score > least:
                behind = self.core.principal_variation()
                best = best.with_line(Line(score, (action, *map(Action, behind))))
                yield best
                if score >= high:
                    return

    def score(self, action: Action, depth: int, low: int, high: int, *, sure: bool) -> int:
        """The score of an action within a window; one not `sure` to be in it is doubted first."""
        if self.techniques.principal_variation and not sure:
            score = self.core.search(action, depth, low, low + 1)
            if score <= low:
                return score
        return self.core.search(action, depth, low, high)
