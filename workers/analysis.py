"""The job of an analysis: searches its positions one after the other.

Findings are appended to the log, and the job's progress is recorded, after the first position that
is done REPORT seconds after the last time: a position may take less time to search than a log that
syncs takes to answer. So a worker that dies loses the position it was at, and at most the findings
of REPORT seconds. After a death each position is appended before the next one is searched, so that
the one that kills the worker is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import redis
from rq.timeouts import BaseTimeoutException

from engine.search.helpers import SameMemory
from service.analysis import refresh as refreshing
from service.analysis.finding import Finding
from service.analysis.repository import Analyses
from service.analysis.search import search_position
from service.analysis.state import KIND as ANALYSIS
from service.analysis.state import AnalysisEnding, AnalysisState
from service.analysis.target import SearchedPosition, is_secret
from service.errors import WrongExpectedVersion
from service.reactions.notices import Notice
from service.storage.capacity import STORE_AWAY
from service.webhooks.webhook import ANALYSIS_FINISHED
from workers import own_queues, suspension
from workers.errors import Incomplete, TurnOver
from workers.search_progress import REPORT, SearchProgress
from workers.task import Task

SHIFT: Final = 900.0
"""Seconds after which a job goes back to the queue once its current position is done."""
DEATHS: Final = 2
"""How often a position may kill its worker before it is left out."""


def analyse(task: Task) -> dict[str, Any]:
    """Carry out the analysis that has the job's id; returns its state and its progress."""
    analyses = task.service.analyses
    state = analyses.load(task.job.id)
    if state.ended is None:
        if analyses.is_stale(state):
            state = replace_stale(task, analyses, state)
        else:
            state = AnalysisRun(task, analyses, state).run()
    assert state.ended is not None
    if state.ended.state != AnalysisEnding.CANCELLED:
        # Before the job is done: if the worker dies here, the next try announces it.
        announce_end(task, state)
    return {"state": state.ended.state, "done": state.done}


def replace_stale(task: Task, analyses: Analyses, state: AnalysisState) -> AnalysisState:
    """End an analysis that was requested from another engine build, and request it again.

    While two builds run side by side, the other's worker may have replaced that one by this one.
    Then it is left alone, because the two would go on like that; whoever requests it resumes it.
    """
    subject = analyses.renew_subject(state)
    newer = analyses.find(analyses.address(subject))
    if newer is None or newer.ended is None or newer.ended.state != AnalysisEnding.REPLACED:
        newer = analyses.request(subject, state.by, batch=task.job.batch)
    reason = f"the engine is of build {analyses.build} by now; see analysis {newer.id}"
    return analyses.end(state, AnalysisEnding.REPLACED, reason)


def announce_end(task: Task, state: AnalysisState) -> None:
    """Announce the end of an analysis to its requester, and to all unless it is secret."""
    assert state.ended is not None
    begun = state.begun
    data = {
        "analysis": state.id,
        "state": state.ended.state,
        "variant": begun.variant,
        "game": begun.game,
        "ply": begun.ply,
        "view": begun.view,
        "positions": state.done,
    }
    about = f"{state.id} {state.version}"
    told = Notice(
        ANALYSIS_FINISHED, about, task.jobs.clock(), [state.by], data, private=is_secret(begun)
    )
    task.service.announcer.announce(told)


class AnalysisRun:
    """One way through the positions, from where an earlier try left off."""

    def __init__(self, task: Task, analyses: Analyses, state: AnalysisState) -> None:
        self.task = task
        self.analyses = analyses
        self.state = state
        self._memory = SameMemory()
        self._deaths = 0
        """The tries that died at the position that is next."""
        self._found: list[Finding] = []
        """The findings that are not in the log yet, for the positions after those of the state."""
        # The first position may be one of many that others have waited for.
        self._next = time.monotonic()

    def run(self) -> AnalysisState:
        """Search what is left; raises LeaseLost and Interrupted."""
        self._deaths = self._count_deaths()
        wary = self.task.job.tries > 1
        for place in self.analyses.iterate_positions(self.state):
            if self._deaths >= DEATHS:
                reason = f"searching it ended {self._deaths} workers: {self.task.job.reason}"
                self.state = self.analyses.quarantine(self.state, reason)
            else:
                self._look(place)
            is_last = self._done == self.state.begun.positions
            if self._deaths or is_last or time.monotonic() >= self._next:
                self._keep()
                if not is_last and self._is_to_step_aside():
                    self.analyses.fair_queue.put_back(self.task.job)
                    raise TurnOver
            elif wary:
                self._write()
            self._deaths = 0
        [*_, last] = self.state.looked
        alone = self.state.begun.positions == 1
        if alone and last.finding is None:
            return self.analyses.end(self.state, AnalysisEnding.QUARANTINED, last.reason)
        return self.analyses.end(self.state, AnalysisEnding.DONE)

    def _count_deaths(self) -> int:
        """Count the tries that died since the last position was done."""
        if self.task.job.checkpoint == self.state.done:
            return self.task.job.tries - 1
        # The last try made progress. If it died, it died here, or between writing a position down
        # and beginning this one.
        deaths = min(1, self.task.job.tries - 1)
        self._keep_tries(1 + deaths)
        return deaths

    def _keep(self) -> None:
        """Write down what was found, and record the progress."""
        self._write()
        self._next = time.monotonic() + REPORT
        self._keep_tries(1)

    def _keep_tries(self, tries: int) -> None:
        """Record the progress, and how many tries to count if the worker dies now."""
        self.task.keep(self.state.done, self.state.begun.positions, self.state.done, tries)

    def _write(self) -> None:
        """Append what was found to the log, and record how fast it was found."""
        if not self._found:
            return
        try:
            self.state = self.analyses.record(self.state, self._found)
        except WrongExpectedVersion:
            # It was stopped, and its job cancelled.
            self.task.report_progress(self.state.done, self.state.begun.positions)
            raise
        self.analyses.pace.note(self.state.begun.variant, *self._found)
        self._found.clear()

    @property
    def _done(self) -> int:
        """The number of positions done, whether the log has them yet or not."""
        return self.state.done + len(self._found)

    def _is_to_step_aside(self) -> bool:
        """Whether the job goes back to the queue after a position, which loses nothing."""
        return self.task.turn.seconds() > SHIFT or self._is_others_turn()

    def _is_others_turn(self) -> bool:
        """Whether somebody comes first who waits, or whose search is suspended."""
        job, suspended = self.task.job, suspension.list_others()
        if job.batch:
            # Meanwhile a person may have requested the same.
            job = self.task.jobs.get(job.id)
        if job.batch and self._is_person_waiting(suspended):
            return True
        return self.task.turn.is_over(self.analyses.fair_queue, job, suspended)

    def _is_person_waiting(self, suspended: Sequence[str]) -> bool:
        """Whether a person's job waits, or is one of those suspended."""
        if self.analyses.queue.someone_waits(own_queues.list_assigned()):
            return True
        # A batch that gets a person's priority has a hint, but another worker may have taken it.
        return any(not job.batch for job in self.analyses.fair_queue.suspended(suspended))

    def _give_way(self, report: Callable[[], None]) -> None:
        """Suspend the search of a position while it is others' turn, calling `report` meanwhile.

        While the store is away, it is nobody else's turn. Raises what `report` raises, and TurnOver
        if too many searches are suspended already.
        """
        if suspension.is_possible():
            with suppress(*STORE_AWAY):
                if self._is_others_turn():
                    self._suspend(report)

    def _suspend(self, report: Callable[[], None]) -> None:
        turns, turn, job = self.analyses.fair_queue, self.task.turn, self.task.job
        # What counts for no turn does not count for the search either.
        with suspension.stopped_clock():
            turns.end(job.id, turn.seconds())
            # What is suspended is not to blame if its worker dies.
            self._keep_tries(self._deaths)
            try:
                is_resumed = suspension.suspend(job.id, report)
            finally:
                self._keep_tries(self._deaths + 1)
            if not is_resumed:
                turns.put_back(job)
                raise TurnOver
            turn.begin()
        turns.resume(job)

    def _look(self, place: SearchedPosition) -> None:
        """Search one position, and write down what was found before if it takes long."""
        index = self._done
        progress = SearchProgress(
            self.task, index, self.state.begun.positions, self._write, self._give_way
        )
        finding = None
        for finding in search_position(
            self.state.begun.variant,
            place,
            self.state.parameters,
            progress.must_stop,
            self._memory,
            suspension.clock,
        ):
            progress.note = self.analyses.note(self.state, index, finding)
        if progress.stopped is not None:
            raise progress.stopped
        assert finding is not None
        self._found.append(finding)


def request_again(task: Task) -> dict[str, Any]:
    """Request every stale analysis anew; returns how many were requested, as `asked`.

    One that cannot be requested does not stop the others: then Incomplete is raised, whose outcome
    also has `errors`, which maps analyses to reasons.
    """
    analyses = task.service.analyses
    streams = task.service.log.streams(ANALYSIS)
    asked = 0
    errors: dict[str, str] = {}
    for done, stream in enumerate(streams, 1):
        try:
            asked += refreshing.request_again(analyses, stream.id)
        except (redis.RedisError, BaseTimeoutException):
            raise
        except Exception as error:
            errors[stream.id] = f"{type(error).__name__}: {error}"
        task.report_progress(done, len(streams))
    outcome: dict[str, Any] = {"asked": asked}
    if errors:
        outcome["errors"] = errors
        raise Incomplete(f"{len(errors)} of {len(streams)} cannot be requested again", outcome)
    return outcome
