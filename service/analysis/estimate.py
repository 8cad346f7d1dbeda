"""How long an analysis will take, as far as that can be told."""

from __future__ import annotations

from typing import Any

from service.analysis.state import AnalysisState
from service.jobs.duties import Lane
from service.jobs.job import Job, State
from service.jobs.job_kinds import ANALYSIS
from service.jobs.queue import JobQueue


def waiting(queue: JobQueue, state: AnalysisState, job: Job | None) -> dict[str, Any] | None:
    """Where an analysis stands among the others, None once it is over; times in seconds.

    `ahead` is how many jobs a worker takes before it, None while one has it or where its hint is
    being sent; `oldest` since when the longest waiting analysis has been due; `estimate` until
    it ends, None while nothing is known to go by.
    """
    if job is None or job.state not in (State.QUEUED, State.RUNNING):
        return None
    at = queue.jobs.clock()
    others = queue.jobs.waiting([ANALYSIS])
    ahead = queue.ahead(job.id) if job.state is State.QUEUED else None
    return {
        "priority": "batch" if job.batch else "person",
        "ahead": ahead,
        "oldest": others.seconds(at) if others.queued else None,
        "estimate": estimate(queue, state, job, ahead or 0),
    }


def estimate(queue: JobQueue, state: AnalysisState, job: Job, ahead: int) -> float | None:
    """Seconds until the end, by how long its positions take, or such jobs have taken of late."""
    usual = queue.jobs.usual_time(ANALYSIS)
    own = left(state)
    if own is None:
        own = None if usual is None else usual / 1000
    if own is None or job.state is State.RUNNING:
        return own
    if usual is None:
        return own if ahead == 0 else None
    rounds = ahead // max(1, queue.workers(Lane.PERSON))
    return round(rounds * usual / 1000 + own, 1)


def left(state: AnalysisState) -> float | None:
    """Seconds for the positions that are left, None where neither limit nor past tells."""
    remaining = state.begun.positions - state.done
    took = [looked.finding.seconds for looked in state.looked if looked.finding is not None]
    if took:
        return round(remaining * sum(took) / len(took), 1)
    seconds = state.parameters.seconds
    return None if seconds is None else float(remaining * seconds)
