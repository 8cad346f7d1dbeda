"""The search's interface: iterative deepening from the root (`Search.iterate`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from engine import tree as trees
from engine.outcome import Outcome, decide_by_points
from engine.position import MAX_DEPTH, Action, Position
from engine.search.alphabeta import AlphaBeta
from engine.search.chance import winning_chance
from engine.search.completion import complete_lines
from engine.search.helpers import ALONE, Assignment, Helpers
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limit_watch import POLL_INTERVAL, LimitWatch, never_stop
from engine.search.limits import Limits
from engine.search.parameters import Parameters
from engine.search.root_search import RootSearch
from engine.search.score import INFINITE, WIN, is_decided, plies_to_end
from engine.search.table import TranspositionTable
from engine.search.techniques import Techniques
from engine.search.time_management import TimeManager

if TYPE_CHECKING:
    from engine.variant import Variant


def evaluate(variant: Variant, position: Position) -> int:
    """The static evaluation of a position that is not over, from the view of the side to act.

    Hundredths of the game's unit; the terms are in `engine/<game>/evaluation.py`.
    """
    return trees.evaluate(variant.tree(position))


def quiesce(variant: Variant, position: Position) -> int:
    """The quiescence score of a position that is not over, from the view of the side to act.

    It equals `evaluate` where nothing is left hanging.
    """
    tree = variant.tree(position)
    search = AlphaBeta(
        tree,
        variant.exchanges(tree, variant.parameters.exchange_margin),
        _unused_table(),
        variant.techniques,
        variant.parameters,
        lambda nodes: nodes + POLL_INTERVAL,
    )
    return search.search_node(0, -INFINITE, INFINITE, 0)


@cache
def _unused_table() -> TranspositionTable:
    """The table of a search that looks nothing up; made once, as that is slower than the search."""
    return TranspositionTable(1)


class Search:
    """A search of one variant's positions, with what it remembers from one to the next.

    `table_mebibytes` (1 to 4096) is the size of the transposition table. `seed` decides between
    equal actions. `techniques` and `parameters` are the variant's own unless given. With
    `draw_by_points` a draw goes to the side with more points, where the variant allows that.
    `clock` returns seconds; `table` is the transposition table. A new search, or one after
    `forget`, gives the same results for the same seed, position and limits of depth and nodes,
    compiled or pure; with `helpers` it may not.
    """

    def __init__(
        self,
        variant: Variant,
        *,
        table_mebibytes: int = 16,
        seed: int = 0,
        techniques: Techniques | None = None,
        parameters: Parameters | None = None,
        draw_by_points: bool = False,
        clock: Callable[[], float] = time.monotonic,
        helpers: Helpers = ALONE,
    ) -> None:
        self.variant = variant
        self.techniques = techniques or variant.techniques
        self.parameters = parameters or variant.parameters
        self.draw_by_points = draw_by_points
        self._mebibytes = table_mebibytes
        self.table = helpers.make_table(table_mebibytes)
        self._seed = seed
        self._clock = clock
        self._helpers = helpers

    def forget(self) -> None:
        """Empty the transposition table; OSError or MemoryError if there is no room for it."""
        self.release()
        self.table = self._helpers.make_table(self._mebibytes)

    def release(self) -> None:
        """Give back the memory of the transposition table; searches go on with a small one."""
        self.table = TranspositionTable(1)

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

        The best `lines` actions get exact scores. With `actions`, at least one and all legal, only
        these are searched from the root. The position is not changed. `stop` is called every
        `POLL_INTERVAL` nodes. Whatever ends the search, it yields at least one iteration, with
        lines; the last one may be incomplete. If a helper has searched deeper, its line follows as
        one more iteration. Raises ValueError if `lines` is not positive.
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
        manager = TimeManager(limits, partial(winning_chance, self.variant))
        watch = LimitWatch(limits, manager, self._clock, self._helpers, stop)
        root = RootSearch(self, position, watch, lines, actions)
        self._helpers.begin(self._assign(position, lines, actions))
        try:
            for depth in depths or range(1, (limits.depth or MAX_DEPTH) + 1):
                iteration = complete_lines(self, position, root.search_to_depth(depth))
                yield iteration
                if not iteration.complete:
                    break
                if _is_settled(iteration):
                    return
                (best, *_), seconds = iteration.lines, iteration.seconds
                if manager.note_iteration(best.actions[0], best.score, seconds, root.choices):
                    break
            deeper = root.take_over(iteration, limits.depth)
            if deeper is not None:
                yield complete_lines(self, position, deeper)
        finally:
            self._helpers.end()
            root.release()

    def _assign(
        self, position: Position, lines: int, actions: Collection[Action] | None
    ) -> Assignment:
        """The assignment of helpers for a position."""
        ways = self.techniques, self.parameters
        terms = self.variant, position, *ways, self.draw_by_points, self._seed
        only = None if actions is None else frozenset(actions)
        return Assignment(*terms, self.table.generation, lines, only)

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
