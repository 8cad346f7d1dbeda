"""Puzzles from games of the search against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final

from engine.registry import find_variant
from engine.search.chance import winning_chance
from engine.variant import Variant
from notation.registry import find_dialect
from service.puzzles.collection import COMMENT
from service.puzzles.finding import PlayedPosition, PuzzleFinder, find_puzzles
from service.puzzles.puzzle import Puzzle
from service.puzzles.themes import AT_ONCE, CLOCK
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


def collect_puzzles(
    variant: Variant, games: Iterable[PlayedGame], known: Mapping[str, Puzzle], count: int
) -> Iterator[Puzzle]:
    """Puzzles of different positions, until there are `count`, those `known` by id included."""
    found = dict(known)
    for played in games:
        if len(found) >= count:
            return
        of_game = 0
        for puzzle in find_puzzles(variant, replay_game(variant, played)):
            if puzzle.id not in found:
                themes = count_themes(found.values())
                if any(themes[one] >= SHARES.get(one, 1) * count for one in puzzle.themes):
                    continue
                found[puzzle.id] = puzzle
                yield puzzle
            of_game += 1
            if of_game == EACH_GAME or len(found) >= count:
                break


def examine_anew(variant: Variant, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Those of these puzzles that the present build still finds, as it finds them."""
    finder, dialect = PuzzleFinder(variant), find_dialect(variant.name)
    for puzzle in puzzles:
        found = finder.examine(PlayedPosition(dialect.read_fen(puzzle.fen), puzzle.last, None))
        if found is not None:
            yield found


def write_puzzles(
    games: GameFolder, name: str, target: Path, count: int, seed: int, anew: bool = False
) -> int:
    """Add puzzles of a variant's games to its file until it has `count`; return their number.

    With `anew`, those that are there already are examined first, and only those that the present
    build finds stay. The file is written again with each new puzzle, so a run that is stopped loses
    none.
    """
    variant, path = find_variant(name), target / f"{name}{SUFFIX}"
    target.mkdir(parents=True, exist_ok=True)
    known = read_puzzles(path, name)
    found = {one.id: one for one in (examine_anew(variant, known) if anew else known)}
    write_file(path, found.values())
    files = games.files(name)
    Random(f"{seed} {name}").shuffle(files)
    played = (game for file in files for game in GameFile.read(file).games)
    for puzzle in collect_puzzles(variant, played, found, count):
        found[puzzle.id] = puzzle
        write_file(path, found.values())
    return len(found)


def write_file(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Write the puzzles of a file, under the comment that says where they are from."""
    text = "".join(f"{one.to_line()}\n" for one in puzzles)
    write_bytes(path, f"{COMMENT} {ORIGIN}\n{text}".encode())


def read_puzzles(path: Path, variant: str) -> list[Puzzle]:
    """The puzzles of a file; none if it does not exist."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [Puzzle.from_line(variant, line) for line in lines if not line.startswith(COMMENT)]


def count_themes(puzzles: Iterable[Puzzle]) -> Counter[str]:
    """How many puzzles have each theme."""
    return Counter(theme for puzzle in puzzles for theme in puzzle.themes)
