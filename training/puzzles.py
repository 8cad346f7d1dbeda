"""Puzzles from games of the search against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final

from engine.registry import find_variant
from engine.search.chance import winning_chance
from engine.variant import Variant
from notation.registry import find_dialect
from service.puzzles.collection import COMMENT
from service.puzzles.finding import PlayedPosition, PuzzleFinder, may_be_puzzle
from service.puzzles.puzzle import Puzzle, identify
from service.puzzles.themes import AT_ONCE, CLOCK
from training.examined import Examined, name_file
from training.folder_lock import locked
from training.game_files import GameFile, GameFolder, write_bytes
from training.played_game import PlayedGame

SUFFIX: Final = ".txt"
SHARES: Final = {AT_ONCE: 0.15, CLOCK: 0.2}
"""The largest share of the puzzles that may have these themes, which are common in games."""
ORIGIN: Final = "Found by `python -m training puzzles` in games of the search against itself."
EACH_GAME: Final = 6
"""The most puzzles from one game."""


def replay_game(variant: Variant, played: PlayedGame) -> list[PlayedPosition]:
    """The positions of a game, with the winning chances of its scores."""
    dialect = find_dialect(variant.name)
    position = dialect.read_fen(played.start)
    positions: list[PlayedPosition] = []
    last = None
    for action, score in zip(played.actions, played.scores, strict=True):
        chance = None if score is None else winning_chance(variant, score)
        positions.append(PlayedPosition(position.copy(), last, chance))
        last = dialect.coordinate(action)
        position.play(action)
    return positions


class PuzzleFile:
    """The puzzles of a variant in a folder, `VARIANT.txt`, and what was examined for them.

    Both are written after each puzzle, and the latter, `VARIANT.json`, also after each game.
    """

    def __init__(self, folder: Path, variant: Variant) -> None:
        self.path = folder / f"{variant.name}{SUFFIX}"
        self.variant = variant
        self.puzzles = {one.id: one for one in read_puzzles(self.path, variant.name)}
        # Whoever removes the puzzles wants to begin again.
        self.examined = Examined.read(self._record) if self.path.exists() else Examined.begin()
        self._finder = PuzzleFinder(variant)
        self._dialect = find_dialect(variant.name)

    @property
    def _record(self) -> Path:
        return self.path.with_suffix(".json")

    def examine_anew(self) -> None:
        """Keep only the puzzles that are still found, as they are found; those examined stay."""
        for id, puzzle in list(self.puzzles.items()):
            if id in self.examined.puzzles:
                continue
            position = self._dialect.read_fen(puzzle.fen)
            found = self._finder.examine(PlayedPosition(position, puzzle.last, None))
            if found is None:
                del self.puzzles[id]
                self._write_puzzles()
            else:
                self._add(found)

    def search(self, games: GameFolder, count: int, seed: int) -> None:
        """Add puzzles of the games that were not examined until there are `count`."""
        files = games.files(self.variant.name)
        Random(f"{seed} {self.variant.name}").shuffle(files)
        for file in files:
            name = name_file(file)
            done = self.examined.games.get(name, 0)
            for number, played in enumerate(GameFile.read(file).games[done:], done + 1):
                self._search_game(played, count)
                if len(self.puzzles) >= count:
                    return
                self.examined.games[name] = number
                self.examined.write(self._record)

    def _search_game(self, played: PlayedGame, count: int) -> None:
        """Add the puzzles of a game until there are `count`, or enough of this game."""
        of_game = 0
        for before, here in pairwise(replay_game(self.variant, played)):
            if of_game == EACH_GAME or len(self.puzzles) >= count:
                return
            if not may_be_puzzle(before, here):
                continue
            if self._is_known(here):
                of_game += 1
                continue
            puzzle = self._finder.examine(here)
            if puzzle is not None and not self._are_enough(puzzle.themes, count):
                self._add(puzzle)
                of_game += 1

    def _is_known(self, here: PlayedPosition) -> bool:
        fen = self._dialect.write_fen(here.position)
        return identify(self.variant.name, fen) in self.puzzles

    def _are_enough(self, themes: Iterable[str], count: int) -> bool:
        """Whether no more puzzles are wanted that have one of these themes."""
        counted = count_themes(self.puzzles.values())
        return any(counted[one] >= SHARES.get(one, 1) * count for one in themes)

    def _add(self, puzzle: Puzzle) -> None:
        """Add a puzzle, or replace the one of its position."""
        self.puzzles[puzzle.id] = puzzle
        self._write_puzzles()
        self.examined.puzzles.append(puzzle.id)
        self.examined.write(self._record)

    def _write_puzzles(self) -> None:
        """Write the puzzles under the comment that says where they are from."""
        text = "".join(f"{one.to_line()}\n" for one in self.puzzles.values())
        write_bytes(self.path, f"{COMMENT} {ORIGIN}\n{text}".encode())


def write_puzzles(
    games: GameFolder, name: str, target: Path, count: int, seed: int, anew: bool = False
) -> int:
    """Add puzzles of a variant's games to its file until it has `count`; return their number.

    With `anew`, those that are there already are examined first, and only those that the present
    build finds stay. A run that is stopped loses no puzzle, and the next one examines nothing that
    was examined, except the last game. Raises NoGames, FolderInUse.
    """
    games.choose_variants([name])
    with locked(target, f"{name}.lock"):
        file = PuzzleFile(target, find_variant(name))
        if anew:
            file.examine_anew()
        file.search(games, count, seed)
    return len(file.puzzles)


def read_puzzles(path: Path, variant: str) -> list[Puzzle]:
    """The puzzles of a file; none if it does not exist."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [Puzzle.from_line(variant, line) for line in lines if not line.startswith(COMMENT)]


def count_themes(puzzles: Iterable[Puzzle]) -> Counter[str]:
    """How many puzzles have each theme."""
    return Counter(theme for puzzle in puzzles for theme in puzzle.themes)
