"""A slow full-width search of a few plies, by which puzzles' solutions are judged."""

from __future__ import annotations

from engine.position import Action, Position
from engine.search import WIN, quiesce, winning_chance
from engine.variant import Variant
from tests.engine.search.minimax import evaluate

INFINITE = WIN + 1


def find_gap(variant: Variant, position: Position, solution: Action, depth: int) -> float:
    """By how much a solution's winning chance exceeds that of the best other action."""
    best = search_action(variant, position, solution, depth, -INFINITE, INFINITE)
    others = -INFINITE
    for action in position.legal():
        if action != solution:
            value = search_action(variant, position, action, depth, others, INFINITE)
            others = max(others, value)
    return winning_chance(variant, best) - winning_chance(variant, others)


def search_action(
    variant: Variant, position: Position, action: Action, depth: int, low: int, high: int
) -> int:
    """The value of an action for its side, exact within these bounds."""
    side = position.side
    position.make(action)
    try:
        if position.side == side:
            return search(variant, position, depth - 1, low, high)
        return -search(variant, position, depth - 1, -high, -low)
    finally:
        position.unmake()


def search(variant: Variant, position: Position, depth: int, low: int, high: int) -> int:
    """The value for the side to act; nearer wins are worth more, and leaves are made quiet."""
    outcome = position.outcome()
    if outcome is not None:
        value = WIN - 10 + depth
        if outcome.winner is None:
            return 0
        return value if outcome.winner == position.side else -value
    if depth == 0:
        return quiesce(variant, position)
    for action in sort_actions(variant, position):
        low = max(low, search_action(variant, position, action, depth, low, high))
        if low >= high:
            break
    return low


def sort_actions(variant: Variant, position: Position) -> list[Action]:
    """The legal actions, the most promising first."""
    side = position.side
    found = []
    for action in position.legal():
        position.make(action)
        if position.outcome() is not None:
            value = INFINITE
        else:
            value = evaluate(variant.name, position) * (1 if position.side == side else -1)
        position.unmake()
        found.append((-value, action))
    return [action for _, action in sorted(found)]
