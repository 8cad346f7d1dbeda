"""Searching one position, for workers and commands; nothing else in the service searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from engine.position import Action, Position
from engine.registry import find_variant
from engine.search import Limits, Search, is_decided, plies_to_end
from engine.search.chance import winning_chance
from engine.search.helpers import ALONE, Helpers
from engine.search.uncertain import iterate_worlds
from engine.search.uncertain_iteration import UncertainIteration, UncertainLine
from engine.side import Side
from engine.variant import Variant
from notation.registry import find_dialect
from service.analysis.finding import Finding, FoundLine
from service.analysis.parameters import MOST_SECONDS, WORLDS, Parameters
from service.analysis.target import SearchedPosition

MOST_MEBIBYTES: Final = 16
ENTRY_BYTES: Final = 16
"""A key and an entry, of 64 bits each."""
SHOWN = 24
"""The most actions of a line."""


def search_position(
    name: str,
    place: SearchedPosition,
    parameters: Parameters,
    stop: Callable[[], bool],
    helpers: Helpers = ALONE,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Finding]:
    """Search a position deeper and deeper, yielding a finding each time, at least one.

    `stop` is called every few thousand nodes and ends the search when it returns true. Every
    position is searched with an empty memory, so that no search affects a later one. With `helpers`
    a search cannot be repeated. `clock` gives the seconds by which time is limited.
    """
    variant = find_variant(name)
    search = Search(
        variant,
        table_mebibytes=size_table(parameters.nodes),
        seed=parameters.seed,
        draw_by_points=parameters.draw_by_points,
        clock=clock,
        helpers=helpers,
    )
    limits = Limits(
        depth=parameters.depth,
        nodes=parameters.nodes,
        seconds=parameters.seconds or MOST_SECONDS,
    )
    for iteration in iterate_worlds(
        search,
        place.position,
        limits,
        lines=parameters.lines,
        worlds=WORLDS,
        seed=parameters.seed,
        stop=stop,
    ):
        yield make_finding(variant, place, iteration)


def size_table(nodes: int | None) -> int:
    """The mebibytes of a table with four places for each node, at most MOST_MEBIBYTES.

    Clearing the largest one takes longer than searching some hundred nodes.

    >>> size_table(1), size_table(20_000), size_table(150_000), size_table(None)
    (1, 2, 16, 16)
    """
    if nodes is None:
        return MOST_MEBIBYTES
    return min(MOST_MEBIBYTES, 1 << (4 * nodes * ENTRY_BYTES >> 20).bit_length())


def make_finding(
    variant: Variant, place: SearchedPosition, iteration: UncertainIteration
) -> Finding:
    """Make the finding of an iteration: seen from the first side, with actions as texts."""
    position = place.position
    sign = 1 if position.side == Side.FIRST else -1
    chance = winning_chance(variant, sign * iteration.score)
    sampled = iteration.worlds > 1
    lines = (make_line(variant, position, line, sampled=sampled) for line in iteration.lines)
    return Finding(
        side=position.side,
        played=place.played,
        choices=len(position.legal()),
        depth=iteration.depth,
        selective_depth=iteration.selective_depth,
        nodes=iteration.nodes,
        seconds=round(iteration.seconds, 3),
        complete=iteration.complete,
        worlds=iteration.worlds,
        chance=round(chance, 4),
        score=sign * iteration.score,
        plies_to_end=count_plies_to_end(iteration.score),
        lines=tuple(line for line in lines if line.actions),
    )


def count_plies_to_end(score: int) -> int | None:
    """How many actions lead to the end that a score indicates, or None if it indicates none."""
    return plies_to_end(score) if is_decided(score) else None


def make_line(
    variant: Variant, position: Position, line: UncertainLine, *, sampled: bool
) -> FoundLine:
    """Make a finding's line; scores by guess are given if there are several guesses."""
    sign = 1 if position.side == Side.FIRST else -1
    actions, san = write_line(variant, position, line.actions[:SHOWN])
    low, high = sorted((sign * line.lowest, sign * line.highest))
    return FoundLine(
        score=sign * line.score,
        plies_to_end=count_plies_to_end(line.score),
        actions=actions,
        san=san,
        lowest=low if sampled else None,
        highest=high if sampled else None,
        share=round(line.share, 4) if sampled else None,
    )


def write_line(
    variant: Variant, position: Position, actions: tuple[Action, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write a line in coordinate and in short form, as far as the position itself allows it."""
    written = find_dialect(variant.name)
    line = position.copy()
    coordinates, san = [], []
    for action in actions:
        if not line.is_legal(action):
            # A guess of an unknown choice may allow what the position itself does not.
            break
        coordinates.append(written.coordinate(action))
        san.append(written.san(line, action))
        line.play(action)
    return tuple(coordinates), tuple(san)
