"""Attempts at puzzles, projected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from service.composition.service import CODEC
from service.log.memory import MemoryEventLog
from service.log.values import Pointer
from service.projection.database.database import Database
from service.projection.puzzles.attempts import AttemptProjection, Attempts, write_attempts
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.puzzles.attempts.commands import AttemptPuzzle
from service.puzzles.attempts.repository import Solvers
from service.puzzles.attempts.state import stream_of
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from tests.service.projection.support import dump
from tests.service.puzzles.solvers import find_own, find_wrong

PERIOD = 60_000
NOW = 1_700_000_000_000
PLAYERS = ("ada", "bea", "cy")
TABLES = ("attempt", "attempt_due", "puzzle", "puzzle_theme", "solver")


@dataclass
class Clock:
    """A clock that stands still until a test moves it."""

    now: int = NOW

    def __call__(self) -> int:
        return self.now


@dataclass
class Club:
    """Players who try puzzles, in a log of their own."""

    clock: Clock = field(default_factory=Clock)
    solvers: Solvers = field(init=False)

    def __post_init__(self) -> None:
        self.solvers = Solvers(MemoryEventLog(CODEC), self.clock)

    def attempt(self, player: str, puzzle: Puzzle, *, solves: bool) -> None:
        """Let a player try a puzzle at the clock's time."""
        actions = find_own(puzzle) if solves else (find_wrong(puzzle),)
        self.solvers.attempt(player, AttemptPuzzle(puzzle=puzzle, actions=actions))

    def play(self, count: int, variants: Sequence[str] = ("katruji", "kerak")) -> None:
        """Let the players make `count` attempts, some at the same moment and some much later."""
        random = Random(count)
        puzzles = {name: list(load_collection().list_puzzles(name))[:12] for name in variants}
        while count:
            player, variant = random.choice(PLAYERS), random.choice(variants)
            puzzle = random.choice(puzzles[variant])
            if not self.solvers.has_tried(player, puzzle.id):
                self.attempt(player, puzzle, solves=random.random() < 0.5)
                count -= 1
            self.clock.now += random.choice((0, 0, 1, 1000, 3 * PERIOD))

    def read(self) -> list[Attempts]:
        """Every player's attempts, as the projection reads them."""
        log = self.solvers.log
        return [Attempts(player, log.read(stream_of(player))) for player in PLAYERS]

    def project(self, database: Database) -> None:
        """Write all attempts."""
        projection = AttemptProjection(self.solvers.log)
        pointers = [one for p in range(self.solvers.log.partitions) for one in self.feed(p)]
        database.write(projection.prepare(pointers))

    def feed(self, partition: int) -> list[Pointer]:
        """The pointers in a partition's feed."""
        return list(self.solvers.log.feed(partition))


def build(database: Database, club: Club) -> dict[str, list[tuple[object, ...]]]:
    """The tables of a generation of its own, into which everything is written at once."""
    built = database.build()
    write_collection(built)
    built.write(lambda connection: write_attempts(connection, club.read()))
    PuzzleRatings(built, PERIOD).rate()
    return dump(built, *TABLES)
