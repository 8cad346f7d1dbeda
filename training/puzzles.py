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
from service.puzzles.finding import PlayedPosition, find_puzzles
from service.puzzles.puzzle import Puzzle
from service.puzzles.themes import AT_ONCE, CLOCK
from training.game_files import GameFile, GameFolder, write_bytes
from training.played_game import PlayedGame

SUFFIX: Final = ".txt"
SHARES: Final = {AT_ONCE: 0.15, CLOCK: 0.2}
"""The largest share of the puzzles that may have these themes, which are common in games."""
EACH_GAME: Final = 6
"""The most puzzles from one game."""


def replay_game(variant: Variant, played: PlayedGame) -> list[PlayedPosition]:
    """The positions of a game, with the winning chances of its scores."""
    position = find_dialect(variant.name).read_fen(played.start)
    positions, last = [], None
    for action, score in zip(played.actions, played.scores, strict=True):
        chance = None if score is None else winning_chance(variant, score)
        positions.append(PlayedPosition(position.copy(), last, chance))
        position.play(action)
        last = action
    return positions


def collect_puzzles(
    variant: Variant, games: Iterable[PlayedGame], known: Mapping[str, Puzzle], count: int
) -> Iterator[Puzzle]:
    """Puzzles of different positions, until there are `count`, those `known` by id included."""
    found = dict(known)
    for played in games:
        of_game = 0
        for puzzle in find_puzzles(variant, replay_game(variant, played)):
            if len(found) >= count:
                return
            if puzzle.id in found:
                continue
            themes = count_themes(found.values())
            if any(themes[one] >= SHARES.get(one, 1) * count for one in puzzle.themes):
                continue
            found[puzzle.id] = puzzle
            yield puzzle
            of_game += 1
            if of_game == EACH_GAME:
                break


def write_puzzles(games: GameFolder, name: str, target: Path, count: int, seed: int) -> int:
    """Add puzzles of a variant's games to its file until it has `count`; return their number.

    The file is written anew with each puzzle, so a run that is stopped loses none.
    """
    variant, path = find_variant(name), target / f"{name}{SUFFIX}"
    target.mkdir(parents=True, exist_ok=True)
    found = {puzzle.id: puzzle for puzzle in read_puzzles(path, name)}
    files = games.files(name)
    Random(f"{seed} {name}").shuffle(files)
    played = (game for file in files for game in GameFile.read(file).games)
    for puzzle in collect_puzzles(variant, played, found, count):
        found[puzzle.id] = puzzle
        text = "".join(f"{one.to_line()}\n" for one in found.values())
        write_bytes(path, text.encode())
    return len(found)


def read_puzzles(path: Path, variant: str) -> list[Puzzle]:
    """The puzzles of a file; none if it does not exist."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [Puzzle.from_line(variant, line) for line in lines if not line.startswith(COMMENT)]


def count_themes(puzzles: Iterable[Puzzle]) -> Counter[str]:
    """How many puzzles have each theme."""
    return Counter(theme for puzzle in puzzles for theme in puzzle.themes)
