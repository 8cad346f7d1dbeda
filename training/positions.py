"""Positions of played games to learn from: quiet ones, in an order that chance has made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from typing import Final, Self

from engine.registry import find_variant
from engine.search import evaluate, is_decided, quiesce
from engine.variant import Variant
from notation.registry import find_dialect
from training.game_files import GameFile, GameFolder, read_lines, write_lines
from training.played_game import PlayedGame

SUFFIX: Final = ".txt.zst"
SHARD: Final = 100_000
"""The positions of a shard, about."""


@dataclass(frozen=True, slots=True)
class LabelledPosition:
    """A position as FEN, what the search made of it, and how its game ended.

    `score`, in hundredths of the game's unit, and `points`, from 0 to 1, are seen from the side to
    act; `game` tells games apart.
    """

    fen: str
    score: int
    points: float
    game: int

    def __str__(self) -> str:
        return f"{self.fen};{self.score};{self.points:g};{self.game}"

    @classmethod
    def parse(cls, line: str) -> Self:
        """The position that this line is.

        >>> LabelledPosition.parse("4/4 s 0-0 - 0 1;25;0.5;7").points
        0.5
        """
        fen, score, points, game = line.split(";")
        return cls(fen, int(score), float(points), int(game))


def quiet_positions(variant: Variant, played: PlayedGame, game: int) -> Iterator[LabelledPosition]:
    """The positions of a game in which nothing is left hanging and nothing is decided."""
    dialect = find_dialect(variant.name)
    position = dialect.read_fen(played.start)
    for action, score in zip(played.actions, played.scores, strict=True):
        if (
            score is not None
            and not is_decided(score)
            and quiesce(variant, position) == evaluate(variant, position)
        ):
            points = 1 - played.points if position.side else played.points
            yield LabelledPosition(dialect.write_fen(position), score, points, game)
        position.play(action)


def write_shards(
    games: GameFolder, variant: str, target: Path, seed: int = 0, most: float = inf
) -> int:
    """Write a variant's quiet positions into shards of a folder; return their number.

    Each position lies in a random shard at a random place. The shards are written anew whenever
    this is called, and replace those that were there; equal games and seeds give equal shards.
    Files are taken by number until they have `most` searched positions.
    """
    expected = 0
    files = []
    for path, header in zip(games.files(variant), games.headers(variant), strict=True):
        if expected < most:
            expected += header.positions
            files.append(path)
    random = Random(f"{seed} {variant}")
    shards: list[list[str]] = [[] for _ in range(expected // SHARD + 1)]
    for position in _all_positions(find_variant(variant), files):
        random.choice(shards).append(str(position))
    folder = target / variant
    folder.mkdir(parents=True, exist_ok=True)
    for number, lines in enumerate(shards):
        random.shuffle(lines)
        write_lines(folder / f"{number:04}{SUFFIX}", lines)
    for path in folder.glob(f"*{SUFFIX}"):
        if int(path.name.removesuffix(SUFFIX)) >= len(shards):
            path.unlink()
    return sum(map(len, shards))


def read_shards(folder: Path, variant: str) -> Iterator[LabelledPosition]:
    """The positions of a variant in the order of the shards."""
    for path in sorted((folder / variant).glob(f"*{SUFFIX}")):
        yield from map(LabelledPosition.parse, read_lines(path))


def _all_positions(variant: Variant, files: Iterable[Path]) -> Iterator[LabelledPosition]:
    number = 0
    for path in files:
        for played in GameFile.read(path).games:
            yield from quiet_positions(variant, played, number)
            number += 1
