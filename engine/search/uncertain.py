"""Search of a position in which something is unknown, by searching its worlds.

Each world (`engine.world`) is searched as if it were the truth. Then the actions that are best in
any of them are searched in all of them, and an action's score is its average chance to win. So an
action is judged by what it does in every world; after it each world is played as if the players
knew the world (Monte Carlo sampling: Ginsberg, GIB: Imperfect Information in a Computationally
Challenging Game, 2001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Final

from engine.position import MAX_DEPTH, Action, Position
from engine.search.chance import score_of, winning_chance
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limit_watch import never_stop
from engine.search.limits import Limits
from engine.search.score import is_decided
from engine.search.search import Search
from engine.search.time_management import TimeManager
from engine.world import World

MOST_COMPARED: Final = 8
"""The most actions that are searched in every world, unless more lines are wanted."""


@dataclass(frozen=True, slots=True)
class UncertainLine:
    """An action over the worlds, with its line in the likeliest world in which it is best.

    `score` is that of the mean winning chance, a decided one only if the game is decided in every
    world; `lowest` and `highest` are those of single worlds. `share`, from 0 to 1, is how much of
    the worlds' weight is in those where no other action is better. `actions` is empty where no
    action that may be shown can be played.
    """

    score: int
    actions: tuple[Action, ...]
    lowest: int
    highest: int
    share: float


@dataclass(frozen=True, slots=True)
class UncertainIteration:
    """`engine.search.Iteration` over `worlds` worlds; `score` is the position's.

    That is the best line's, unless in some world the side to act has an action that is shown to
    nobody, a reveal: then it is the mean of what it can achieve in each world.
    """

    depth: int
    selective_depth: int
    nodes: int
    seconds: float
    score: int
    lines: tuple[UncertainLine, ...]
    complete: bool
    worlds: int


def iterate_worlds(
    search: Search,
    position: Position,
    limits: Limits,
    *,
    lines: int = 1,
    worlds: int = 16,
    seed: int = 0,
    stop: Callable[[], bool] = never_stop,
) -> Iterator[UncertainIteration]:
    """`search.iterate` over a sample of at most `worlds` worlds, drawn with `seed`.

    `limits` hold for all worlds together; an iteration that they cut short has the lines of the
    one before. With one world, or where the game is over in all, the iterations are those of
    `search.iterate`. ValueError if `lines` is not positive, or if `worlds` is below two: a single
    one would be a guess.
    """
    if worlds < 2:
        raise ValueError(worlds)
    sample = search.variant.worlds(position, worlds, Random(seed))
    if len(sample) == 1 or all(world.position.outcome() for world in sample):
        # Where the game is over in every world, any of them shows how.
        for iteration in search.iterate(sample[0].position, limits, lines=lines, stop=stop):
            yield _over_one_world(iteration)
        return
    run = _WorldsSearch(search, sample, limits, lines, stop)
    for depth in range(1, (limits.depth or MAX_DEPTH) + 1):
        found = run.search_to_depth(depth)
        yield found
        if run.spent or run.reached < depth or run.is_enough(found):
            return


def _over_one_world(iteration: Iteration) -> UncertainIteration:
    lines = tuple(
        UncertainLine(line.score, line.actions, line.score, line.score, 1.0)
        for line in iteration.lines
    )
    return UncertainIteration(
        iteration.depth,
        iteration.selective_depth,
        iteration.nodes,
        iteration.seconds,
        lines[0].score,
        lines,
        iteration.complete,
        1,
    )


class _WorldsSearch:
    """One search of several worlds: what it has used up, and what it has found."""

    def __init__(
        self,
        search: Search,
        worlds: Sequence[World],
        limits: Limits,
        lines: int,
        stop: Callable[[], bool],
    ) -> None:
        self.search = search
        self.worlds = worlds
        self.limits = limits
        self.wanted = lines
        self.stop = stop
        self.manager = TimeManager(limits, partial(winning_chance, search.variant))
        legal = [frozenset(world.position.legal()) for world in worlds]
        self.common = frozenset.intersection(*legal)
        self.has_hidden_actions = any(actions != self.common for actions in legal)
        self.nodes = self.selective = self.reached = 0
        self.seconds = 0.0
        self.spent = False
        self.lines: tuple[UncertainLine, ...] = ()
        self.score = 0

    def search_to_depth(self, depth: int) -> UncertainIteration:
        """Search all worlds to a depth, as far as the limits allow."""
        self.reached = 0
        tops = [self.search_world(world, depth, self.common, self.wanted) for world in self.worlds]
        tables = self.compare_actions(tops, depth)
        own = [
            self.search_world(world, depth, None, 1)
            for world in self.worlds
            if self.has_hidden_actions
        ]
        if not (self.spent and self.lines):
            self.combine_worlds(tables, own)
        return UncertainIteration(
            depth,
            self.selective,
            self.nodes,
            self.seconds,
            self.score,
            self.lines,
            not self.spent,
            len(self.worlds),
        )

    def search_world(
        self, world: World, depth: int, actions: Collection[Action] | None, lines: int
    ) -> Sequence[ScoredLine]:
        """The best lines of one world, none once the limits are reached."""
        # The first search must find a line; the others are too short to check limits within.
        self.spent = self.spent or (self.nodes > 0 and (self.has_reached_limits() or self.stop()))
        if self.spent or actions == frozenset():
            return ()
        limits = replace(
            self.limits,
            depth=depth,
            nodes=self.limits.nodes and self.limits.nodes - self.nodes,
            seconds=self.seconds_left,
            budget=None,
        )
        for iteration in self.search.iterate(
            world.position, limits, lines=lines, actions=actions, stop=self.stop
        ):
            last = iteration
        self.nodes += last.nodes
        self.seconds += last.seconds
        self.selective = max(self.selective, last.selective_depth)
        self.reached = max(self.reached, last.depth)
        self.spent = not last.complete
        return last.lines

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the search has to end; None without a limit of time."""
        return self.manager.deadline - self.seconds if self.manager.is_limited else None

    def has_reached_limits(self) -> bool:
        """Whether nothing is left of the nodes or seconds."""
        nodes, seconds = self.limits.nodes, self.seconds_left
        return (nodes is not None and self.nodes >= nodes) or (seconds is not None and seconds <= 0)

    def is_enough(self, iteration: UncertainIteration) -> bool:
        """Whether the time after a complete iteration is better kept for other actions."""
        choices = len(self.common) + self.has_hidden_actions
        best = iteration.lines[0].actions[:1]
        return self.manager.note_iteration(best, iteration.score, self.seconds, choices)

    def compare_actions(
        self, tops: Sequence[Sequence[ScoredLine]], depth: int
    ) -> list[dict[Action, ScoredLine]]:
        """By world, the lines of all actions that are among the best in some world."""
        votes: Counter[Action] = Counter()
        for world, lines in zip(self.worlds, tops, strict=True):
            votes.update({line.actions[0]: world.weight for line in lines})
        most = max(MOST_COMPARED, self.wanted)
        compared = frozenset(action for action, _ in votes.most_common(most))
        tables = []
        for world, lines in zip(self.worlds, tops, strict=True):
            if not compared <= {line.actions[0] for line in lines}:
                lines = self.search_world(world, depth, compared, len(compared)) or lines
            tables.append({line.actions[0]: line for line in lines})
        return tables

    def combine_worlds(
        self, tables: list[dict[Action, ScoredLine]], own: Sequence[Sequence[ScoredLine]]
    ) -> None:
        """Find the lines and the score over all worlds."""
        actions = dict.fromkeys(action for table in tables for action in table)
        lines = [self.combine_lines(action, tables) for action in actions]
        lines.sort(key=lambda line: -line.score)
        scores = [
            (world.weight, best[0].score)
            for world, best in zip(self.worlds, own, strict=False)
            if best
        ]
        if not lines:
            only = [score for _, score in scores]
            lines = [UncertainLine(self.mean_score(scores), (), min(only), max(only), 1.0)]
        self.lines = tuple(lines[: self.wanted])
        self.score = self.mean_score(scores) if scores else lines[0].score

    def combine_lines(
        self, action: Action, tables: list[dict[Action, ScoredLine]]
    ) -> UncertainLine:
        """An action over all worlds in which it was searched."""
        found = [
            (world.weight, table[action], max(line.score for line in table.values()))
            for world, table in zip(self.worlds, tables, strict=True)
            if action in table
        ]
        scores = [line.score for _, line, _ in found]
        best = [(weight, line) for weight, line, most in found if line.score == most]
        shown = max(best or [(w, line) for w, line, _ in found], key=lambda one: one[0])[1]
        return UncertainLine(
            self.mean_score([(weight, line.score) for weight, line, _ in found]),
            shown.actions,
            min(scores),
            max(scores),
            sum(weight for weight, _ in best) / sum(weight for weight, _, _ in found),
        )

    def mean_score(self, scores: Sequence[tuple[float, int]]) -> int:
        """The score of the mean winning chance; if all are wins, or all losses, the least."""
        least = min(score for _, score in scores)
        if all(is_decided(score) and score * least > 0 for _, score in scores):
            return least
        variant = self.search.variant
        chance = sum(weight * winning_chance(variant, score) for weight, score in scores)
        return score_of(variant, chance / sum(weight for weight, _ in scores))
