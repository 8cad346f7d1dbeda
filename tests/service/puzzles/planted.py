"""A small game in which a side blunders, so that the other one has a puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.game.commands import CreateGame, PlayAction
from service.game.repository import Games
from service.puzzles.found.found_puzzle import FoundPuzzle
from service.puzzles.puzzle import Puzzle
from tests.service.projection.support import SCRIBE, end

START: Final = "1SO1/1O2/O3/4/3O/2O1/2O1/2S1 s 8-7 - 0 7"
BLUNDER: Final = "c3c6"
PUNISHED: Final = "c6c2"
PLY: Final = 1
"""The number of actions before the puzzle's position in the game."""
PLANTED: Final = Puzzle(
    "katruji",
    "1SO1/1O2/O1O1/4/3O/4/2O1/2S1 n 8-7 c3c6 1 7",
    BLUNDER,
    (PUNISHED, "c2c8", "c8c1"),
    ("trap", "advantage", "short"),
    1150,
)
"""The puzzle after the blunder, as a search may find it."""


def begin_planted(games: Games, id: str, actions: Sequence[str] = (BLUNDER, PUNISHED)) -> None:
    """Create a game at the position before the blunder, and play these actions."""
    command = CreateGame(variant="katruji", mode="scribe", first="ann", second="bob", fen=START)
    games.create(id, command, SCRIBE)
    for token in actions:
        games.execute(id, PlayAction(token=token), SCRIBE)


def play_planted(games: Games, id: str) -> None:
    """Play the game, which ends after the blunder and its punishment."""
    begin_planted(games, id)
    end(games, id, "0-1")


def find_planted(ply: int = PLY) -> FoundPuzzle:
    """The puzzle, as found in the game."""
    return FoundPuzzle(ply, PLANTED)
