"""Estimates of how long an analysis will take."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

from service.analysis.pace import Pace, PaceReading
from service.analysis.state import AnalysisState
from service.jobs.duties import lane_of
from service.jobs.fair_queue import TURN, FairQueue, WaitingIn, player_of
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import ANALYSIS

UsualTime = Callable[[], float | None]
"""Returns how many milliseconds an analysis usually takes, None if unknown."""


def report_waiting(
    turns: FairQueue, state: AnalysisState, job: Job | None
) -> dict[str, Any] | None:
    """Report an analysis's place in the queue, or None once it is over; times are in seconds.

    `ahead` is how many waiting analyses have a turn before it, None while a worker has it. `oldest`
    is how long the longest waiting analysis has been due. `estimate` is the time until it ends,
    None if there is nothing to base it on.
    """
    if job is None or job.state not in (JobState.QUEUED, JobState.RUNNING):
        return None
    others = turns.jobs.waiting([ANALYSIS])
    waiting_in = cache(turns.waiting)  # each lane is read once; a thousand may wait in it
    return {
        "priority": "batch" if job.batch else "person",
        "ahead": turns.ahead(job, waiting_in) if job.state is JobState.QUEUED else None,
        "oldest": others.seconds(turns.jobs.clock()) if others.queued else None,
        "estimate": estimate_seconds(turns, waiting_in, state, job),
    }


def estimate_seconds(
    turns: FairQueue, waiting_in: WaitingIn, state: AnalysisState, job: Job
) -> float | None:
    """Seconds until the end: for the rest of this analysis, and for the others' turns meanwhile."""
    pace = PaceReading(turns.store)
    usual = cache(lambda: turns.jobs.usual_time(ANALYSIS))  # read once, however many jobs need it
    own = estimate_left(state)
    if own is None:
        own = estimate_remaining(usual, pace, job)
    if own is None:
        return None
    rivals = find_rivals(waiting_in, job)
    others = [other for other in (*turns.running(), *rivals) if other.id != job.id]
    lane = lane_of(ANALYSIS, batch=job.batch)
    assert lane is not None
    workers = max(1, turns.queue.workers(lane))
    if len(others) < workers:
        return round(own, 1)
    meanwhile = estimate_others(turns, usual, pace, job, own, others)
    return None if meanwhile is None else round(own + meanwhile / workers, 1)


def find_rivals(waiting_in: WaitingIn, job: Job) -> list[Job]:
    """The analyses that wait for the same workers; for a batch, people's analyses too."""
    lanes = [lane_of(ANALYSIS, batch=batch) for batch in {False, job.batch}]
    return [other for lane in lanes if lane is not None for other in waiting_in(lane)]


def estimate_others(
    turns: FairQueue, usual: UsualTime, pace: Pace, job: Job, own: float, others: list[Job]
) -> float | None:
    """Seconds that workers spend on others until a job is done, or None if unknown.

    The same player's earlier jobs come first. Each other player gets as much time as this one, less
    what the other has already had. But people's jobs come before a batch, and a turn that has begun
    lasts for TURN, or until its position has been searched.
    """
    by_player: dict[str, list[Job]] = defaultdict(list)
    for other in others:
        by_player[player_of(other)].append(other)
    own_jobs = by_player.pop(player_of(job), [])
    before = [estimate_remaining(usual, pace, one) for one in own_jobs if _is_before(one, job)]
    if None in before:
        return None
    earlier = sum(seconds or 0.0 for seconds in before)
    meanwhile: float = earlier
    used = turns.used([player_of(job), *by_player])
    having_turns = turns.having_turns()
    for player, theirs in by_player.items():
        lead = (used[player_of(job)] - used[player]) / 1000
        bound = max(0.0, own + earlier + lead)
        for other in theirs:
            if other.batch < job.batch:
                bound = math.inf
            elif other.id in having_turns or (lead >= 0 and _is_before(other, job)):
                bound = max(bound, estimate_turn(pace, other))
        whole = [estimate_remaining(usual, pace, other) for other in theirs]
        meanwhile += min(bound, math.inf if None in whole else sum(one or 0.0 for one in whole))
    return None if math.isinf(meanwhile) else meanwhile


def _is_before(one: Job, other: Job) -> bool:
    """Whether a job comes first if neither player has had less time."""
    return (one.batch, one.created_at, one.id) < (other.batch, other.created_at, other.id)


def estimate_remaining(usual: UsualTime, pace: Pace, job: Job) -> float | None:
    """Estimate the seconds for a job's remaining positions; None if nothing indicates them."""
    if "limits" in job.arguments:
        each = pace.estimate_seconds(job.arguments["variant"], job.arguments["limits"])
        if each is not None:
            return each * float(max(0, job.arguments["positions"] - job.progress[0]))
    milliseconds = usual()
    return None if milliseconds is None else milliseconds / 1000


def estimate_turn(pace: Pace, job: Job) -> float:
    """The least seconds for which a turn of a job lasts if others wait."""
    if "limits" not in job.arguments:
        return TURN
    each = pace.estimate_seconds(job.arguments["variant"], job.arguments["limits"])
    return TURN if each is None else min(TURN, each)


def estimate_left(state: AnalysisState) -> float | None:
    """Estimate the seconds for an analysis's remaining positions from those it has searched."""
    remaining = state.begun.positions - state.done
    took = [looked.finding.seconds for looked in state.looked if looked.finding is not None]
    return round(remaining * sum(took) / len(took), 1) if took else None
