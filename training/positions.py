"""Positions of played games to learn from: quiet ones, in random order."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from random import Random
from typing import Final, Self

from engine.registry import VARIANTS, find_variant
from engine.search import evaluate, is_decided, quiesce, winning_chance
from engine.variant import Variant
from notation.registry import find_dialect
from training.errors import NoPositions
from training.folder_lock import locked
from training.game_files import GameFile, GameFolder, read_lines, write_lines
from training.played_game import PlayedGame
from training.spreading import spread

SUFFIX: Final = ".txt.zst"
SHARD: Final = 100_000
"""About how many positions a shard has."""
LATER: Final = 0.9
"""The default λ: how much of a position's outlook comes from the next position's."""


@dataclass(frozen=True, slots=True)
class LabelledPosition:
    """A position as FEN, and its outlook.

    `outlook` is the chance to win, from 0 to 1, of the side to act (see `outlooks`); `game` tells
    games apart.
    """

    fen: str
    outlook: float
    game: int

    def __str__(self) -> str:
        return f"{self.fen};{self.outlook:.4f};{self.game}"

    @classmethod
    def parse(cls, line: str) -> Self:
        """The position written in a line.

        >>> LabelledPosition.parse("4/4 s 0-0 - 0 1;0.5250;7").outlook
        0.525
        """
        fen, outlook, game = line.split(";")
        return cls(fen, float(outlook), int(game))


def outlooks(chances: Sequence[float | None], points: float, later: float) -> list[float | None]:
    """The outlook of each position of a game, from the first side's view: its λ-return.

    `chances` are the first side's by the search, None where the action was a random one. Positions
    before a random action take nothing from those after it. A position's λ-return is the sum of
    1 - λ of its chance and λ (`later`) of the next position's return; after the last position come
    the `points` (Sutton and Barto, Reinforcement Learning, 2018, section 12.1).

    >>> outlooks([0.5, 0.6], 1.0, 0.5)
    [0.65, 0.8]
    >>> outlooks([0.5, None, 0.6], 1.0, 0.5)
    [0.5, None, 0.8]
    """
    found: list[float | None] = []
    behind: float | None = points
    for chance in reversed(chances):
        if chance is not None and behind is not None:
            behind = (1 - later) * chance + later * behind
        else:
            behind = chance
        found.append(behind)
    return found[::-1]


def quiet_positions(
    variant: Variant, played: PlayedGame, game: int, later: float
) -> Iterator[LabelledPosition]:
    """The positions of a game in which nothing is left hanging and nothing is decided."""
    dialect = find_dialect(variant.name)
    position = dialect.read_fen(played.start)
    sides = []
    quiet: dict[int, str] = {}
    for ply, (action, score) in enumerate(zip(played.actions, played.scores, strict=True)):
        sides.append(position.side)
        if (
            score is not None
            and not is_decided(score)
            and quiesce(variant, position) == evaluate(variant, position)
        ):
            quiet[ply] = dialect.write_fen(position)
        position.play(action)
    chances = [
        None if score is None else _of_first(winning_chance(variant, score), side)
        for score, side in zip(played.scores, sides, strict=True)
    ]
    found = outlooks(chances, played.points, later)
    for ply, fen in quiet.items():
        outlook = found[ply]
        assert outlook is not None  # it was searched
        yield LabelledPosition(fen, _of_first(outlook, sides[ply]), game)


def _of_first(chance: float, side: int) -> float:
    """Convert a chance between the view of `side` and that of the first side."""
    return 1 - chance if side else chance


def write_shards(
    games: GameFolder,
    variant: str,
    target: Path,
    seed: int = 0,
    most: float = inf,
    later: float = LATER,
    processes: int = 1,
) -> int:
    """Write a variant's quiet positions into shards of a folder; return their number.

    Each position goes to a random place in a random shard. The shards are written anew on each call
    and replace those that were there, all at once; equal games and seeds give equal shards. Files
    are taken by number until they have `most` searched positions. Raises NoGames, FolderInUse.
    """
    games.choose_variants([variant])
    expected = 0
    files = []
    for path, header in zip(games.files(variant), games.headers(variant), strict=True):
        if expected < most:
            expected += header.positions
            files.append(path)
    random = Random(f"{seed} {variant}")
    shards: list[list[str]] = [[] for _ in range(expected // SHARD + 1)]
    with locked(target):
        for position in _all_positions(find_variant(variant), files, later, processes):
            random.choice(shards).append(str(position))
        for lines in shards:
            random.shuffle(lines)
        _replace_shards(target / variant, shards)
    return sum(map(len, shards))


def _replace_shards(folder: Path, shards: Sequence[Iterable[str]]) -> None:
    """Make these the only shards of a folder: however this ends, there is no mixture."""
    made, replaced = (
        folder.with_name(f".{folder.name}.new"),
        folder.with_name(f".{folder.name}.old"),
    )
    for left in (made, replaced):
        shutil.rmtree(left, ignore_errors=True)
    made.mkdir()
    for number, lines in enumerate(shards):
        write_lines(made / f"{number:04}{SUFFIX}", lines)
    if folder.exists():
        folder.rename(replaced)
    made.rename(folder)
    shutil.rmtree(replaced, ignore_errors=True)


def read_shards(folder: Path, variant: str) -> Iterator[LabelledPosition]:
    """The positions of a variant in the order of the shards; raises NoPositions."""
    lines = chain.from_iterable(map(read_lines, _list_shards(folder, variant)))
    first = next(lines, None)
    if first is None:
        raise NoPositions(folder, variant)
    return map(LabelledPosition.parse, chain([first], lines))


def choose_variants(folder: Path, wanted: Sequence[str]) -> Sequence[str]:
    """The `wanted` variants, or all of which a folder has shards if none is named.

    Raises NoPositions if there are none at all.
    """
    chosen = wanted or [name for name in VARIANTS if _list_shards(folder, name)]
    if not chosen:
        raise NoPositions(folder, "any variant")
    return chosen


def _list_shards(folder: Path, variant: str) -> list[Path]:
    return sorted((folder / variant).glob(f"*{SUFFIX}"))


def _all_positions(
    variant: Variant, files: Sequence[Path], later: float, processes: int
) -> Iterator[LabelledPosition]:
    """The positions of files, in order; games are numbered across all files."""
    taken = spread(partial(_take, variant.name, later), files, processes)
    for number, positions in enumerate(chain.from_iterable(taken)):
        for position in positions:
            yield replace(position, game=number)


def _take(variant: str, later: float, path: Path) -> list[list[LabelledPosition]]:
    """The positions of a file, game by game."""
    game = find_variant(variant)
    return [list(quiet_positions(game, one, 0, later)) for one in GameFile.read(path).games]
