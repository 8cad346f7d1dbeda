"""The job that looks for puzzles in a game that is over and analysed.

The job's checkpoint says where the next try goes on, and what was found until then. Puzzles are
written to the log once, at the end of the game, so that no puzzle of a worker that dies comes
twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from random import Random
from typing import Any, Final

from engine.registry import find_variant
from notation.registry import find_dialect
from service.analysis.finding import Finding
from service.analysis.finished_game import covers_finished_game
from service.analysis.state import AnalysisState
from service.analysis.target import iterate_positions
from service.game.repository import stream_of
from service.game.state import GameState
from service.imports.origin import ORIGIN, find_import
from service.imports.state import ImportMode
from service.jobs.fair_queue import Turn
from service.puzzles.collection import load_collection
from service.puzzles.finding import FindingStopped, PlayedPosition, PuzzleFinder, may_be_puzzle
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.found_puzzle import FoundPuzzle
from service.puzzles.puzzle import Puzzle, identify
from workers import own_queues
from workers.errors import TurnOver
from workers.search_progress import SearchProgress
from workers.task import Task

log = logging.getLogger(__name__)

SHIFT: Final = 60.0
"""Seconds after which batches of analyses get their turn, and the search continues later."""
DEATHS: Final = 2
"""How often a position may kill its worker before it is left out."""


def find_puzzles(task: Task) -> dict[str, Any]:
    """Look for puzzles in the game of an analysis, and record them; a repeat changes nothing.

    Returns how many were `found`. There are none in a game that somebody may not see, that did not
    end as it was analysed, or that has already given as many as are wanted from a game.
    """
    service = task.service
    state = service.analyses.load(task.arguments["analysis"])
    game = service.games.load(task.arguments["game"])
    known = service.found_puzzles.find(game.id)
    earlier = known.puzzles if known is not None else ()
    most = service.settings.puzzles_per_game
    limit = most - len(earlier)
    may_be_told = covers_finished_game(state, game) and not is_held_back(task, game)
    is_done = known is not None and state.id in known.analyses
    if limit <= 0 or not may_be_told or is_done:
        return {"found": 0}
    found = PuzzleHunt(task, state, game, {one.puzzle.id for one in earlier}).run(limit)
    command = RecordPuzzles(
        analysis=state.id, variant=game.variant, puzzles=tuple(found), most=most
    )
    service.found_puzzles.record(game.id, command)
    return {"found": len(found)}


def is_held_back(task: Task, game: GameState) -> bool:
    """Whether a game belongs to a strict import that is not complete: nobody may see it yet."""
    imports = task.service.imports
    (origin,) = task.service.log.attributes([(stream_of(game.id), ORIGIN)])
    came = None if origin is None else imports.find(find_import(origin))
    return came is not None and came.mode is ImportMode.STRICT and not imports.is_complete(came)


def list_played(state: AnalysisState, game: GameState) -> Iterator[PlayedPosition]:
    """The positions of a game with their analysis, seen from the side to act."""
    last, dialect = None, find_dialect(game.variant)
    places = iterate_positions(state.begun, game, 0)
    for ply, (place, looked) in enumerate(zip(places, state.looked, strict=True)):
        variant, position = find_variant(game.variant), place.position
        # A choice that no record discloses stays unknown; no puzzle may depend on guessing it.
        known = len(variant.worlds(position, 2, Random(ply))) == 1
        chance = find_chance(looked.finding) if known else None
        yield PlayedPosition(position, last, chance)
        if ply < len(game.played):
            last = dialect.coordinate(game.played[ply].action)


def find_chance(finding: Finding | None) -> float | None:
    """The winning chance of the side to act, from the finding for a position."""
    if finding is None:
        return None
    return finding.chance if finding.side == 0 else 1 - finding.chance


class PuzzleHunt:
    """One way through a game, from where an earlier try left off."""

    def __init__(
        self, task: Task, state: AnalysisState, game: GameState, known: AbstractSet[str]
    ) -> None:
        """`known` are the ids of the puzzles that the game has already given."""
        self.task = task
        self.known = known
        self.game = game
        self.state = state
        self.dialect = find_dialect(game.variant)
        kept = task.job.checkpoint or {"ply": 0, "found": []}
        self.begin: int = kept["ply"]
        self.found = [FoundPuzzle.from_json(game.variant, one) for one in kept["found"]]

    def run(self, limit: int) -> list[FoundPuzzle]:
        """Look at what is left, for at most `limit` puzzles; raises LeaseLost and Interrupted."""
        turn = Turn()
        played = pairwise(list_played(self.state, self.game))
        for ply, (before, here) in enumerate(played, 1):
            if len(self.found) >= limit:
                break
            if ply < self.begin or not self._is_candidate(before, here):
                continue
            self._keep(ply)
            if ply == self.begin and self.task.job.tries > DEATHS:
                log.warning("game %s, ply %d: left out, it killed workers", self.game.id, ply)
                continue
            if self._is_to_step_aside(turn):
                self.task.service.puzzle_jobs.fair_queue.put_back(self.task.job)
                raise TurnOver
            puzzle = self._examine(ply, here)
            if puzzle is not None:
                self.found.append(FoundPuzzle(ply, puzzle))
        return self.found

    def _is_candidate(self, before: PlayedPosition, here: PlayedPosition) -> bool:
        """Whether a position may be a puzzle that is not known yet."""
        if not may_be_puzzle(before, here):
            return False
        id = identify(self.game.variant, self.dialect.write_fen(here.position))
        return id not in self.known and id not in load_collection()

    def _keep(self, ply: int) -> None:
        """Record where another try goes on; tries are counted for each position separately."""
        tries = self.task.job.tries if ply == self.begin else 1
        kept = {"ply": ply, "found": [one.to_json() for one in self.found]}
        self.task.keep(ply, len(self.game.played), kept, tries)

    def _is_to_step_aside(self, turn: Turn) -> bool:
        """Whether others come first: players who wait for an analysis, or had less time."""
        waits = self.task.service.analyses.queue.someone_waits(own_queues.list_assigned())
        turns = self.task.service.puzzle_jobs.fair_queue
        return waits or turn.seconds() > SHIFT or turn.is_over(turns, self.task.job)

    def _examine(self, ply: int, here: PlayedPosition) -> Puzzle | None:
        progress = SearchProgress(self.task, ply, len(self.game.played))
        try:
            return PuzzleFinder(find_variant(self.game.variant), progress.must_stop).examine(here)
        except FindingStopped:
            assert progress.stopped is not None
            raise progress.stopped from None
