"""The root of one search: the lines found so far, and each deepening from there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Final

from engine.position import MAX_DEPTH, Action, Position
from engine.search.alphabeta import AlphaBeta
from engine.search.best_lines import BestLines
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limit_watch import LimitWatch, Stopped
from engine.search.score import INFINITE, is_decided
from engine.tree import evaluate

if TYPE_CHECKING:
    from engine.search.search import Search

ASPIRATION_WINDOW: Final = 120
"""Half the width of the first window around the previous score."""
ASPIRATION_DEPTH: Final = 4
"""The smallest depth that begins with a narrow window."""


class RootSearch:
    """One search: the root's actions in the order of search, and the lines so far."""

    def __init__(
        self,
        search: Search,
        position: Position,
        watch: LimitWatch,
        lines: int,
        actions: Collection[Action] | None,
    ) -> None:
        search.table.start_search()
        self.watch = watch
        self.manager = watch.manager
        self.techniques = search.techniques
        self.tree = search.variant.tree(position)
        self.tree.by_points = int(search.draw_by_points)
        self.alphabeta = AlphaBeta(
            self.tree,
            search.variant.exchanges(self.tree, search.parameters.exchange_margin),
            search.table,
            self.techniques,
            search.parameters,
            self.watch.poll,
        )
        self.stack = self.alphabeta.stack
        self.stack.next_poll = self.watch.next_poll(0)
        legal = position.legal()
        self.actions = legal if actions is None else [a for a in legal if a in actions]
        Random(search._seed).shuffle(self.actions)
        self.choices = len(self.actions)
        self.tree_sizes = dict.fromkeys(self.actions, 0)
        self.wanted = min(lines, len(self.actions))
        # The answer if the search is stopped before it has searched anything.
        self.lines: tuple[ScoredLine, ...] = (ScoredLine(evaluate(self.tree), (self.actions[0],)),)
        self.has_searched = False

    def release(self) -> None:
        """Break the reference cycle, so that the memory need not wait for the garbage collector."""
        del self.alphabeta, self.stack

    def search_to_depth(self, depth: int) -> Iteration:
        """Search all actions to a depth, as far as the limits allow."""
        self.stack.selective_depth = 0
        best = BestLines((), self.wanted)
        complete = True
        try:
            for improved in self.search_in_windows(depth):
                best = improved
                self.manager.note_score(best.lines[0].score)
        except Stopped:
            complete = False
        self.keep_lines(best.lines)
        return Iteration(
            depth,
            self.stack.selective_depth,
            self.watch.helpers.count_nodes(self.stack.nodes),
            self.watch.seconds,
            self.lines,
            complete,
        )

    def take_over(self, last: Iteration, most_depth: int | None) -> Iteration | None:
        """A helper's iteration that is deeper than `last`, but at most `most_depth` deep.

        None where there is none, where several lines are wanted, or where `last` has proved more: a
        score that decides the game.
        """
        found = self.watch.helpers.find_deepest()
        if found is None or self.wanted > 1 or found.action not in self.actions:
            return None
        finished = last.depth if last.complete else last.depth - 1
        if not finished < found.depth <= (most_depth or MAX_DEPTH):
            return None
        score = last.lines[0].score
        if is_decided(score) and found.score < score:
            return None
        return Iteration(
            found.depth,
            max(found.depth, last.selective_depth),
            self.watch.helpers.count_nodes(self.stack.nodes),
            self.watch.seconds,
            (ScoredLine(found.score, (found.action,)),),
            complete=True,
        )

    def keep_lines(self, lines: Sequence[ScoredLine]) -> None:
        """Keep these lines, best first; next time their actions come first.

        While they are fewer than wanted, no other action has been searched since, so earlier lines
        fill them up.
        """
        if lines:
            known = {line.actions[0] for line in lines}
            older = [line for line in self.lines if line.actions[0] not in known]
            filled = (*lines, *(older if self.has_searched else ()))[: self.wanted]
            self.lines = tuple(sorted(filled, key=lambda line: -line.score))
            self.has_searched = True
        leading = [line.actions[0] for line in self.lines]
        others = [action for action in self.actions if action not in leading]
        if self.techniques.root_reductions:
            others.sort(key=lambda action: -self.tree_sizes[action])
        self.actions = leading + others

    def search_in_windows(self, depth: int) -> Iterator[BestLines]:
        """The best lines at a depth, yielded whenever better ones are found.

        With aspiration the first window is narrow; it is widened if the score falls outside.
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
                self.manager.note_score(low)
                low = -INFINITE
            elif best.lines[0].score >= high:
                high = INFINITE
                self.keep_lines(best.lines)
            else:
                return

    def search_in_window(self, depth: int, low: int, high: int) -> Iterator[BestLines]:
        """As `search_in_windows`, in one window; a score of `high` is a bound and ends it."""
        best = BestLines((), self.wanted)
        for number, action in enumerate(self.actions, 1):
            least = max(low, best.least)
            begun = self.stack.nodes
            first = number <= self.wanted
            score = self.search_action(action, number, depth, least, high, full_window=first)
            self.tree_sizes[action] = self.stack.nodes - begun
            if score > least:
                following = self.alphabeta.principal_variation()
                best = best.with_line(ScoredLine(score, (action, *map(Action, following))))
                yield best
                if score >= high:
                    return

    def search_action(
        self, action: Action, number: int, depth: int, low: int, high: int, *, full_window: bool
    ) -> int:
        """The score of an action, the `number`th that is searched, within a window.

        Unless `full_window`, it is first searched in a null window.
        """
        if self.techniques.principal_variation and not full_window:
            score = self.alphabeta.search_root_move(action, number, depth, low, low + 1)
            if score <= low:
                return score
        return self.alphabeta.search_root_move(action, number, depth, low, high)
