"""Jobs that look for puzzles in games that are over and analysed, whichever came first."""

from __future__ import annotations

from collections.abc import Sequence

from service.analysis.events import AnalysisBegun, AnalysisEnded
from service.analysis.finished_game import covers_finished_game
from service.analysis.repository import Analyses
from service.analysis.state import KIND as ANALYSIS
from service.analysis.state import AnalysisEnding, AnalysisState
from service.analysis.target import AnalysisView
from service.ids import derived_id
from service.jobs.fair_queue import FairQueue
from service.jobs.job_kinds import PUZZLES
from service.log.values import Pointer, Recorded
from service.reactions.event_follower import EventFollower


class PuzzleJobs:
    """Submits a job for each analysis that covers a finished game; none unless `wanted`.

    The jobs give way to analyses that somebody waits for, and once a minute to batches of analyses.
    They count as turns of the player who requested the analysis.
    """

    def __init__(self, analyses: Analyses, *, wanted: bool) -> None:
        self.analyses = analyses
        self.wanted = wanted
        self.fair_queue = FairQueue(analyses.queue, PUZZLES)

    def submit_ended(self, games: Sequence[str]) -> None:
        """Submit the jobs for those of these games that are over and were analysed before."""
        if not self.wanted or not games:
            return
        for id in self.analyses.shown.find_newest(games, AnalysisView.FULL).values():
            self.submit(self.analyses.load(id))

    def follow(self, pointer: Pointer, ended: Recorded) -> None:
        """Submit the job for an analysis that has ended, if its game is over."""
        (first,) = self.analyses.log.read(pointer.stream, 0, 1)
        begun = first.event
        if self.wanted and isinstance(begun, AnalysisBegun) and begun.game and begun.ply is None:
            self.submit(self.analyses.load(pointer.stream.id))

    def submit(self, state: AnalysisState) -> None:
        """Submit the job for an analysis, unless its game is not over or still has secrets."""
        game = state.begun.game
        if game is None or not covers_finished_game(state, self.analyses.games.load(game)):
            return
        arguments = {"analysis": state.id, "game": game, "by": state.by}
        # The id is not secret: it only has to be the same each time.
        self.analyses.queue.submit(
            derived_id(b"", PUZZLES, state.id), PUZZLES, arguments, batch=True
        )


def make_puzzle_follower(jobs: PuzzleJobs) -> EventFollower:
    """Make the follower that searches games for puzzles once their analysis is done."""
    return EventFollower(
        jobs.analyses.log,
        ANALYSIS,
        lambda event: isinstance(event, AnalysisEnded) and event.state == AnalysisEnding.DONE,
        jobs.follow,
    )
