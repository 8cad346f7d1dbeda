"""The search as others call it: iterative deepening from the root (`Search.iterate`)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

from engine.outcome import Outcome, decide_by_points
from engine.position import MAX_DEPTH, Action, Position
from engine.search.alphabeta import AlphaBeta
from engine.search.best_lines import BestLines
from engine.search.helpers import ALONE, Assignment, Helpers
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limits import Limits
from engine.search.score import INFINITE, WIN, is_decided, plies_to_end
from engine.search.table import TranspositionTable
from engine.search.techniques import Techniques

if TYPE_CHECKING:
    from engine.variant import Variant

POLL_INTERVAL: Final = 2048
"""Nodes between two looks at the clock and at `stop`."""
ASPIRATION_WINDOW: Final = 120
"""Half the width of the first window around the score before."""
ASPIRATION_DEPTH: Final = 4
"""The least depth that begins with a narrow window."""


def never_stop() -> bool:
    """The `stop` of a search that only its limits end."""
    return False


def evaluate(variant: Variant, position: Position) -> int:
    """The static evaluation of a position that is not over, from the view of the side to act.

    Hundredths of the game's unit; the terms are in `engine/<game>/evaluation.py`.
    """
    return variant.tree(position).evaluate()


def quiesce(variant: Variant, position: Position) -> int:
    """The score of the quiescence search of a position that is not over, from the same view.

    It is that of `evaluate` where nothing is left hanging.
    """
    tree = variant.tree(position)
    search = AlphaBeta(
        tree, _unused_table(), variant.techniques, lambda nodes: nodes + POLL_INTERVAL
    )
    return search.search_node(0, -INFINITE, INFINITE, 0)


@cache
def _unused_table() -> TranspositionTable:
    """The table of a search that looks nothing up; to make one takes longer than such a search."""
    return TranspositionTable(1)


class Stopped(Exception):
    """Raised inside a search that a limit or `stop` ends, to leave it from any depth."""


class Search:
    """A search of one variant's positions, with what it remembers from one to the next.

    `table_mebibytes` (1 to 4096) is the size of the transposition table; `seed` decides between
    equal actions; `techniques` are the variant's own unless given; with `draw_by_points` a draw
    goes to the side with more points, where the variant has that; `clock` returns seconds. A new
    search, or one after `forget`, gives the same results for the same seed, position and limits of
    depth and nodes, compiled or pure; with `helpers` it may not.
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
        helpers: Helpers = ALONE,
    ) -> None:
        self.variant = variant
        self.techniques = techniques or variant.techniques
        self.draw_by_points = draw_by_points
        self._mebibytes = table_mebibytes
        self._table = helpers.make_table(table_mebibytes)
        self._seed = seed
        self._clock = clock
        self._helpers = helpers

    def forget(self) -> None:
        """Empty the transposition table."""
        self._table = self._helpers.make_table(self._mebibytes)

    def iterate(
        self,
        position: Position,
        limits: Limits,
        *,
        lines: int = 1,
        actions: Collection[Action] | None = None,
        stop: Callable[[], bool] = never_stop,
        depths: Iterable[int] | None = None,
    ) -> Iterator[Iteration]:
        """Search one action deeper at a time, or to `depths`; yield what each iteration found.

        `lines` best actions are given exact scores; with `actions` only these, legal ones and
        at least one, are looked at from the root. The position is not changed. `stop` is asked
        every `POLL_INTERVAL` nodes. Whatever ends the search, it yields at least one iteration,
        with lines; the last one may be incomplete. Raises ValueError if `lines` is not positive.
        """
        if lines < 1:
            raise ValueError(lines)
        outcome = position.outcome()
        if outcome is not None:
            yield Iteration(
                0, 0, 0, 0.0, (ScoredLine(self._score_outcome(outcome, position), ()),), True
            )
            return
        position = self._helpers.adopt(self.variant, position)
        root = _RootSearch(self, position, limits, lines, actions, stop)
        self._helpers.begin(self._assign(position, lines, actions))
        try:
            for depth in depths or range(1, (limits.depth or MAX_DEPTH) + 1):
                iteration = root.search_to_depth(depth)
                yield iteration
                if not iteration.complete or _is_settled(iteration):
                    return
        finally:
            self._helpers.end()
            root.release()

    def _assign(
        self, position: Position, lines: int, actions: Collection[Action] | None
    ) -> Assignment:
        """What helpers search of a position."""
        terms = self.variant, position, self.techniques, self.draw_by_points, self._seed
        only = None if actions is None else frozenset(actions)
        return Assignment(*terms, self._table.generation, lines, only)

    def _score_outcome(self, outcome: Outcome, position: Position) -> int:
        """The score of a finished game for the side to act."""
        points = position.points()
        if self.draw_by_points and points is not None:
            outcome = decide_by_points(outcome, points)
        if outcome.winner is None:
            return 0
        return WIN if outcome.winner == position.side else -WIN


def _is_settled(iteration: Iteration) -> bool:
    """Whether no deeper search can change anything: every line reaches the end of the game."""
    return all(
        is_decided(line.score) and plies_to_end(line.score) <= iteration.depth
        for line in iteration.lines
    )


class _RootSearch:
    """One search: the root's actions in the order in which they are tried, and the lines so far."""

    def __init__(
        self,
        search: Search,
        position: Position,
        limits: Limits,
        lines: int,
        actions: Collection[Action] | None,
        stop: Callable[[], bool],
    ) -> None:
        search._table.start_search()
        self.clock = search._clock
        self.helpers = search._helpers
        self.begun = self.clock()
        self.limits = limits
        self.stop = stop
        self.techniques = search.techniques
        self.table = search._table
        self.tree = search.variant.tree(position)
        self.tree.by_points = int(search.draw_by_points)
        self.alphabeta = AlphaBeta(self.tree, self.table, self.techniques, self.poll)
        self.stack = self.alphabeta.stack
        self.stack.next_poll = self.next_poll(0)
        legal = position.legal()
        self.actions = legal if actions is None else [a for a in legal if a in actions]
        Random(search._seed).shuffle(self.actions)
        self.wanted = min(lines, len(self.actions))
        # The answer if the search is stopped before it has searched anything.
        evaluation = self.tree.evaluate()
        self.lines = tuple(
            ScoredLine(evaluation, (action,)) for action in self.actions[: self.wanted]
        )

    def release(self) -> None:
        """Let go of what calls back here: else its memory would wait for the garbage collector."""
        del self.alphabeta, self.stack

    def poll(self, nodes: int) -> int:
        """Check the limits; see `SearchStack`. Raises Stopped."""
        limits = self.limits
        if self.helpers.count_nodes(nodes) >= (limits.nodes or math.inf):
            raise Stopped
        if limits.seconds is not None and self.clock() - self.begun >= limits.seconds:
            raise Stopped
        if self.stop():
            raise Stopped
        return self.next_poll(nodes)

    def next_poll(self, nodes: int) -> int:
        """The number of nodes at which to poll next."""
        if self.limits.nodes is None:
            return nodes + POLL_INTERVAL
        return min(nodes + POLL_INTERVAL, self.limits.nodes)

    def search_to_depth(self, depth: int) -> Iteration:
        """Search all actions to a depth, as far as the limits allow."""
        self.stack.selective_depth = 0
        best = BestLines((), self.wanted)
        complete = True
        try:
            for improved in self.search_in_windows(depth):
                best = improved
        except Stopped:
            complete = False
        self.keep_lines(best.lines)
        return Iteration(
            depth,
            self.stack.selective_depth,
            self.helpers.count_nodes(self.stack.nodes),
            self.clock() - self.begun,
            self.lines,
            complete,
        )

    def keep_lines(self, lines: Sequence[ScoredLine]) -> None:
        """Keep these lines, filled up with earlier ones; their actions are searched first next."""
        known = {line.actions[0] for line in lines}
        older = [line for line in self.lines if line.actions[0] not in known]
        self.lines = (*lines, *older)[: self.wanted]
        leading = [line.actions[0] for line in self.lines]
        self.actions = leading + [action for action in self.actions if action not in leading]

    def search_in_windows(self, depth: int) -> Iterator[BestLines]:
        """The best lines at a depth, yielded whenever better ones are found.

        With aspiration the first window is a narrow one, opened where the score falls outside.
        """
        low, high = -INFINITE, INFINITE
        before = self.lines[0].score
        if (
            self.techniques.aspiration
            and self.wanted == 1
            and depth >= ASPIRATION_DEPTH
            and not is_decided(before)
        ):
            low, high = before - ASPIRATION_WINDOW, before + ASPIRATION_WINDOW
        while True:
            best = None
            for best in self.search_in_window(depth, low, high):
                yield best
            if best is None:
                low = -INFINITE
            elif best.lines[0].score >= high:
                high = INFINITE
                self.keep_lines(best.lines)
            else:
                return

    def search_in_window(self, depth: int, low: int, high: int) -> Iterator[BestLines]:
        """As `search_in_windows`, in one window; a score of `high` is a bound, and the last."""
        best = BestLines((), self.wanted)
        for action in self.actions:
            least = max(low, best.least)
            score = self.search_action(
                action, depth, least, high, full_window=len(best.lines) < self.wanted
            )
            if score > least:
                following = self.alphabeta.principal_variation()
                best = best.with_line(ScoredLine(score, (action, *map(Action, following))))
                yield best
                if score >= high:
                    return

    def search_action(
        self, action: Action, depth: int, low: int, high: int, *, full_window: bool
    ) -> int:
        """The score of an action within a window, if not `full_window` with a null window first."""
        if self.techniques.principal_variation and not full_window:
            score = self.alphabeta.search_root_move(action, depth, low, low + 1)
            if score <= low:
                return score
        return self.alphabeta.search_root_move(action, depth, low, high)
