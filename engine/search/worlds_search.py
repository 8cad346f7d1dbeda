"""One search of a position's plain world and, to compare with it, of a sample of its worlds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import TYPE_CHECKING, Final

from engine.position import MAX_DEPTH, Action, Position
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limits import Limits
from engine.search.time_management import LEAST, TimeBudget
from engine.search.uncertain_iteration import UncertainIteration
from engine.search.world_comparison import WorldComparison, WorldFinding
from engine.world import World

if TYPE_CHECKING:
    from engine.search.search import Search

COMPARED_FIRST: Final = 1 / 4
"""The most of the limits that is used before the plain world is searched."""
PLAIN_ENDS: Final = 15 / 16
"""The share that is used when that ends, and the worlds are compared again."""


class WorldsSearch:
    """The searches under common limits: what they have used up, and what they have found."""

    def __init__(
        self,
        search: Search,
        plain: Position,
        worlds: Sequence[World],
        limits: Limits,
        lines: int,
        stop: Callable[[], bool],
    ) -> None:
        self.search = search
        self.plain = plain
        self.worlds = worlds
        self.limits = limits
        self.wanted = lines
        self.stop = stop
        self.most_depth = limits.depth or MAX_DEPTH
        self.most_seconds = min(
            limits.seconds or inf, limits.budget.optimum if limits.budget else inf
        )
        self.shown = frozenset(plain.legal())
        self.comparison = WorldComparison(search.variant, worlds, self.shown)
        self.lines: tuple[ScoredLine, ...] = ()
        self.nodes = self.depth = self.compared = self.selective = 0
        self.seconds = 0.0
        self.complete = True
        self.settled = False

    def iterate(self) -> Iterator[UncertainIteration]:
        """Compare all worlds at depth 1, search the plain one, then compare them ever deeper."""
        if self.shown:
            self.find_first_lines()
            self.compare(COMPARED_FIRST)
            yield from self.search_plain()
        nodes = self.nodes
        while self.compare(1.0):
            if not self.lines:
                yield self.report()
        if self.lines and self.nodes > nodes:
            yield self.report()

    def find_first_lines(self) -> None:
        """Find the lines of depth 1 in the plain world."""
        last = self.search_position(self.plain, 1, COMPARED_FIRST, lines=self.wanted)
        assert last is not None  # nothing is used up yet
        self.lines, self.depth = last.lines, last.depth

    def search_plain(self) -> Iterator[UncertainIteration]:
        """Search the plain world deeper and deeper."""
        self.most_seconds = self.limits.seconds or inf
        limits = self.limits_left(self.most_depth, PLAIN_ENDS)
        if limits is None or self.stop():
            self.complete = False
            yield self.report()
            return
        nodes, seconds = self.nodes, self.seconds
        for last in self.search.iterate(
            self.plain,
            replace(limits, budget=self.budget_left()),
            lines=self.wanted,
            stop=self.stop,
        ):
            self.nodes, self.seconds = nodes + last.nodes, seconds + last.seconds
            self.selective = max(self.selective, last.selective_depth)
            self.lines, self.depth, self.complete = last.lines, last.depth, last.complete
            yield self.report()
        if self.limits.budget is not None:
            self.most_seconds = min(self.most_seconds, self.seconds / PLAIN_ENDS)

    def compare(self, until: float) -> bool:
        """Search all worlds one action deeper, as far as the limits allow; False if none was."""
        if self.settled or self.compared == self.most_depth:
            return False
        depth = self.compared + 1
        if self.lines:
            plain = self.search_world(self.plain, depth, until)
            if plain is None:
                return self.cut_short(found=False)
            self.comparison.plain[depth] = plain
        self.settled = True
        for number, world in enumerate(self.worlds):
            finding = self.search_world(world.position, depth, until)
            if finding is None:
                return self.cut_short(found=number > 0)
            self.comparison.found[number] = finding
        self.compared = depth
        return True

    def cut_short(self, *, found: bool) -> bool:
        """Note that a comparison was not finished; returns whether it found anything."""
        self.complete = self.settled = False
        return found

    def search_world(self, world: Position, depth: int, until: float) -> WorldFinding | None:
        """What one world's search to a depth finds; None if the limits end it.

        Where nothing at all has been found before, what an unfinished search found is taken.
        """
        last = self.search_position(world, depth, until)
        if last is None or not (last.complete or self.has_nothing):
            return None
        if last.depth == depth:
            self.settled = False
        best = last.lines[0]
        if not self.lines or (len(self.lines) == 1 and self.lines[0].actions[0] == best.actions[0]):
            return WorldFinding(depth, {best.actions[0]: best.score}, best)
        scores = self.score_lines(world, depth, until)
        return None if scores is None else WorldFinding(depth, scores, best)

    @property
    def has_nothing(self) -> bool:
        """Whether there is nothing to report yet."""
        return not (self.lines or self.comparison.found)

    def score_lines(
        self, position: Position, depth: int, until: float
    ) -> Mapping[Action, int] | None:
        """The scores of the lines' first actions in a position; None if the limits end it."""
        judged = frozenset(line.actions[0] for line in self.lines)
        last = self.search_position(position, depth, until, actions=judged, lines=len(judged))
        if last is None or not last.complete:
            return None
        return {line.actions[0]: line.score for line in last.lines}

    def search_position(
        self,
        position: Position,
        depth: int,
        until: float,
        *,
        lines: int = 1,
        actions: Collection[Action] | None = None,
    ) -> Iteration | None:
        """Search a position to a depth; None if the limits are reached or a stop is asked for."""
        limits = self.limits_left(depth, until)
        if limits is None or (self.nodes and self.stop()):
            return None
        *_, last = self.search.iterate(
            position, limits, lines=lines, actions=actions, stop=self.stop
        )
        self.nodes += last.nodes
        self.seconds += last.seconds
        self.selective = max(self.selective, last.selective_depth)
        return last

    def limits_left(self, depth: int, until: float) -> Limits | None:
        """What is left until a share of the limits is used; None if nothing is."""
        nodes = seconds = None
        if self.limits.nodes is not None:
            nodes = ceil(until * self.limits.nodes) - self.nodes
        if self.most_seconds < inf:
            seconds = until * self.most_seconds - self.seconds
        if (nodes is not None and nodes <= 0) or (seconds is not None and seconds <= 0):
            return None
        return Limits(depth, nodes, seconds)

    def budget_left(self) -> TimeBudget | None:
        """What is left for the plain world of a clock's budget, None without one."""
        budget = self.limits.budget
        if budget is None:
            return None
        return TimeBudget(
            max(LEAST, PLAIN_ENDS * budget.optimum - self.seconds),
            max(LEAST, PLAIN_ENDS * budget.maximum - self.seconds),
        )

    def report(self) -> UncertainIteration:
        """What has been found so far."""
        return UncertainIteration(
            self.depth if self.lines else self.compared,
            self.selective,
            self.nodes,
            self.seconds,
            self.comparison.judge_position(self.lines),
            self.comparison.judge_lines(self.lines),
            self.complete,
            len(self.worlds),
        )
