"""Running one job from its hint."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from redis.exceptions import RedisError

from service.composition.service import Service, compose
from service.jobs.errors import LeaseLost
from service.jobs.fair_queue import Turn
from service.jobs.job import Job
from service.jobs.job_kinds import ANALYSIS, IMPORT, LARGE_ROUNDS, PUZZLES, ROUNDS
from service.jobs.store import Jobs
from service.settings import Settings, read_settings
from service.storage.capacity import describe_full_storage, must_wait
from workers import own_queues, stop_request
from workers.errors import Incomplete, Interrupted, Postponed, UnknownKind
from workers.job_functions import FUNCTIONS, Function
from workers.task import Task
from workers.time_sharing import TimeSharing

log = logging.getLogger(__name__)

PAUSE: Final = 2.0
"""Seconds after which a job that had to wait may try again."""


@lru_cache(maxsize=1)
def compose_service(settings: Settings) -> Service:
    """The service's parts, composed once in a process that carries out many jobs."""
    return compose(settings)


def run_job(id: str) -> None:
    """Run the job of this id; RQ calls this."""
    settings = read_settings()
    if own_queues.share_time():
        TimeSharing(settings, lambda hint: take_turn(hint, compose(settings))).run(id)
    else:
        take_turn(id, compose_service(settings))


def take_turn(id: str, service: Service) -> None:
    """Do the job whose turn it is when a hint arrives: players take turns with these kinds."""
    ((kind, _),) = service.jobs.kinds([id])
    turns = {
        IMPORT: service.imports.fair_queue,
        ANALYSIS: service.analyses.fair_queue,
        PUZZLES: service.puzzle_jobs.fair_queue,
        ROUNDS: service.round_jobs.turns,
        LARGE_ROUNDS: service.round_jobs.large_turns,
    }.get(kind)
    chosen = turns.begin(id) if turns else None
    if turns is None or chosen is None:
        carry_out(id, service, service.jobs, FUNCTIONS)
        return
    turn = Turn()
    try:
        carry_out(chosen, service, service.jobs, FUNCTIONS, turn=turn)
    finally:
        turns.end(chosen, turn.seconds())


def carry_out(
    id: str,
    service: Service,
    jobs: Jobs,
    functions: Mapping[str, Function],
    owner: str | None = None,
    turn: Turn | None = None,
) -> bool:
    """Claim a job, do its work, and record how it ended; False if it could not be claimed.

    It is claimed under the name `owner`, which nobody else has. `turn` is the worker's turn with
    this job if it has begun earlier.

    A job that is not queued is left alone. An error of its function queues it for another try;
    after the last try it has failed. A full store or disk, or a store that does not answer, is no
    error of the job: it goes back and waits.
    """
    try:
        job = jobs.claim(id, owner or secrets.token_hex(8))
    except RedisError as error:
        if describe_full_storage(error) is None:
            raise
        log.warning("job %s waits: there is no room to work", id)
        return False
    if job is None:
        log.debug("job %s is not queued any more", id)
        return False
    log.debug("job %s (%s), try %d", id, job.kind, job.tries)
    try:
        try:
            work(Task(service, jobs, job, turn or Turn()), functions)
        except Interrupted:
            jobs.release(job)
        except Incomplete as error:
            jobs.fail(job, str(error), error.outcome, final=True)
        except LeaseLost:
            raise
        except Exception as error:
            if must_wait(error):
                log.warning("job %s goes back: %s", id, error)
                release_when_possible(jobs, job)
                return True
            log.exception("job %s, try %d", id, job.tries)
            jobs.fail(job, f"{type(error).__name__}: {error}")
    except LeaseLost as error:
        log.warning("%s", error)
    return True


def work(task: Task, functions: Mapping[str, Function]) -> None:
    """Do the work of a job, and mark it as done or postponed."""
    try:
        task.jobs.finish(task.job, _find_function(task.job.kind, functions)(task))
    except Postponed as error:
        task.jobs.release(task.job, error.due)


def release_when_possible(jobs: Jobs, job: Job) -> None:
    """Give a job back without counting a try, as soon as the store allows; raises LeaseLost.

    A worker that has to stop leaves the job to the reconciler.
    """
    while not stop_request.is_requested():
        time.sleep(PAUSE)
        try:
            jobs.release(job)
            return
        except RedisError as error:
            if not must_wait(error):
                raise


def _find_function(kind: str, functions: Mapping[str, Function]) -> Function:
    try:
        return functions[kind]
    except KeyError:
        raise UnknownKind(kind) from None
