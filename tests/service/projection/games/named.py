"""Openings of synthetic games, and the opening of each game, found by looking at every position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from notation.registry import find_dialect
from service.openings.values import Opening
from tests.service.projection.games.brute_force import Facts, identify

LENGTHS = (1, 2, 3, 4, 5, 9)


def choose_openings(facts: Sequence[Facts], number: int, seed: int = 1) -> list[Opening]:
    """Choose openings from the beginnings of these games."""
    random = Random(seed)
    played = [one for one in facts if one.actions]
    found: dict[tuple[str, str], Opening] = {}
    while len(found) < number:
        game = random.choice(played)
        actions = game.actions[: random.choice(LENGTHS)]
        position = game.positions[len(actions)]
        count = len(found)
        name = f"Family {count % 7}{random.choice((':', ','))} Line {count}, {len(actions)}"
        code = f"K{count % 5}" if random.random() < 0.7 else None
        opening = Opening(game.variant, name, actions, code)
        found.setdefault((game.variant, position), opening)
    return list(found.values())


def name_games(facts: Iterable[Facts], openings: Iterable[Opening]) -> list[Facts]:
    """Give each game the opening of the last named position that it reached."""
    named = {(one.variant, end_of(one)): one for one in openings}
    return [replace(one, opening=find_opening(one, named)) for one in facts]


def find_opening(facts: Facts, named: dict[tuple[str, str], Opening]) -> Opening | None:
    """The opening of a game, by its last named position."""
    for position in reversed(facts.positions):
        if (facts.variant, position) in named:
            return named[facts.variant, position]
    return None


def end_of(opening: Opening) -> str:
    """The position that an opening names."""
    written = find_dialect(opening.variant)
    position = written.start({})
    for action in opening.actions:
        position.play(written.resolve(position, action))
    return identify(opening.variant, written.write_fen(position))
