"""Lines of play completed where the search has only a bound.

What is searched in a null window is cut off by the table, a null move or an evaluation, and has no
line of its own. Where such a bound is the best result when the search is stopped, the line is
continued from the table, and where that ends, by a search of few nodes.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from engine.position import MAX_DEPTH, Action, Position
from engine.search.chance import winning_chance
from engine.search.helpers import ALONE
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limit_watch import LimitWatch, never_stop
from engine.search.limits import Limits
from engine.search.packing import MOVE_MASK
from engine.search.root_search import RootSearch
from engine.search.score import is_decided, plies_to_end
from engine.search.time_management import TimeManager

if TYPE_CHECKING:
    from engine.search.search import Search

NODES: Final = 500
"""The most nodes that are searched for an action that the table does not know."""


def complete_lines(search: Search, position: Position, iteration: Iteration) -> Iteration:
    """The iteration with lines as long as it is deep, or up to the end of the game.

    An iteration that was stopped may have lines of the one before. A line whose score is decided
    goes on to the end that the score says. The nodes that this takes are not counted.
    """
    depth = iteration.depth if iteration.complete else iteration.depth - 1
    lines = tuple(_complete_line(search, position, line, depth) for line in iteration.lines)
    return replace(iteration, lines=lines)


def _complete_line(search: Search, position: Position, line: ScoredLine, depth: int) -> ScoredLine:
    wanted = min(plies_to_end(line.score), MAX_DEPTH) if is_decided(line.score) else depth
    if len(line.actions) >= wanted:
        return line
    reached = position.copy()
    found = list(line.actions)
    for action in found:
        reached.play(action)
    while len(found) < wanted and reached.outcome() is None:
        following = _known_action(search, reached) or _search_actions(
            search, reached, wanted - len(found)
        )
        for action in following:
            reached.play(action)
        found += following
    return replace(line, actions=tuple(found))


def _known_action(search: Search, position: Position) -> list[Action]:
    """The action that the table has for a position, if it is legal there."""
    action = Action(search.table.probe(search.variant.tree(position).key) & MOVE_MASK)
    return [action] if action and position.is_legal(action) else []


def _search_actions(search: Search, position: Position, depth: int) -> list[Action]:
    """The best actions, at least one and at most `depth`, by a search of few nodes."""
    limits = Limits(depth=depth, nodes=NODES)
    manager = TimeManager(limits, partial(winning_chance, search.variant))
    watch = LimitWatch(limits, manager, time.monotonic, ALONE, never_stop)
    root = RootSearch(search, position, watch, 1, None)
    found = list(root.lines[0].actions)
    try:
        for deeper in range(1, depth + 1):
            iteration = root.search_to_depth(deeper)
            found = list(iteration.lines[0].actions)
            if not iteration.complete:
                break
    finally:
        root.release()
    return found[:depth]
