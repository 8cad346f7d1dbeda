"""Archives of any number of generated games, in all variants and all different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from engine.outcome import Termination
from engine.random_play import random_play
from engine.registry import VARIANTS
from notation.game import Game, Move
from notation.registry import find_dialect
from notation.writer import write

SHORTEST, LONGEST = 10, 110
"""Bounds of the plies after which a game is stopped."""
PLAYERS = 60
ENDS = (
    ("1-0", Termination.RESIGNATION),
    ("0-1", Termination.RESIGNATION),
    ("1/2-1/2", Termination.AGREEMENT),
    ("*", Termination.UNTERMINATED),
)
REMARKS = ("[%clk 0:12:34]", "[%eval 0.4] better", "a remark of some words")


@dataclass(frozen=True)
class Archive:
    """A file of games, with the number of games by each thing that can be searched for."""

    file: Path
    games: int
    variants: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    players: Counter[str] = field(default_factory=Counter)


def generated(number: int) -> Iterator[Game]:
    """The first `number` games of a fixed sequence; the variants take turns."""
    names = sorted(VARIANTS)
    for index in range(number):
        yield game(names[index % len(names)], index)


def game(variant: str, seed: int) -> Game:
    """A random game that ends by the rules or, after a random number of plies, by agreement."""
    random = Random(f"{variant} {seed}")
    position = find_dialect(variant).start({})
    plies = random.randint(SHORTEST, LONGEST)
    moves = [Move(action) for action, _ in random_play(position, random, plies)]
    if seed % 5 == 0:
        remarked = random.randrange(len(moves))
        moves[remarked] = Move(moves[remarked].action, (2,), after=(random.choice(REMARKS),))
    outcome = position.outcome()
    result, termination = (outcome.result, outcome.termination) if outcome else random.choice(ENDS)
    players = (f"Player {number:02}" for number in random.sample(range(PLAYERS), 2))
    tags = {
        "Event": f"Generated {seed % 7}",
        "Date": f"{1990 + seed % 30}.{seed % 12 + 1:02}.{seed % 28 + 1:02}",
        "Round": str(seed),
        "Termination": termination,
        **dict(zip(VARIANTS[variant].sides, players, strict=True)),
    }
    return Game(variant, tags, tuple(moves), result)


def write_archive(file: Path, number: int) -> Archive:
    """Write the first games of the sequence to a file."""
    archive = Archive(file, number)

    def counted() -> Iterator[Game]:
        for game in generated(number):
            archive.variants[game.variant] += 1
            archive.results[game.result] += 1
            archive.players.update(game.tags[side] for side in VARIANTS[game.variant].sides)
            yield game

    with file.open("w", encoding="utf-8") as stream:
        separator = ""
        for game in counted():
            stream.write(separator + write(game))
            separator = "\n"
    return archive
