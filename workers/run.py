"""Running one job from its hint."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping

from service.composition import Service, compose, now
from service.jobs.errors import LeaseLost
from service.jobs.store import Jobs
from service.settings import read_settings
from workers.errors import Incomplete, Interrupted, UnknownKind
from workers.functions import FUNCTIONS, Function
from workers.task import Task

log = logging.getLogger(__name__)


def run_job(id: str) -> None:
    """What RQ calls, in a process of its own, with a job's id."""
    service = compose(read_settings())
    carry_out(id, service, Jobs(service.store, now), FUNCTIONS)


def carry_out(id: str, service: Service, jobs: Jobs, functions: Mapping[str, Function]) -> None:
    """Claim a job, do its work, write down how it ended.

    A job that is not queued is left alone. An error of its function queues it for another try,
    after the last try it has failed.
    """
    job = jobs.claim(id, owner=secrets.token_hex(8))
    if job is None:
        log.info("job %s is not queued any more", id)
        return
    log.debug("job %s (%s), try %d", id, job.kind, job.tries)
    try:
        try:
            jobs.finish(job, _function(job.kind, functions)(Task(service, jobs, job)))
        except Interrupted:
            jobs.release(job)
        except Incomplete as error:
            jobs.fail(job, str(error), error.outcome, final=True)
        except LeaseLost:
            raise
        except Exception as error:
            log.exception("job %s, try %d", id, job.tries)
            jobs.fail(job, f"{type(error).__name__}: {error}")
    except LeaseLost as error:
        log.warning("%s", error)


def _function(kind: str, functions: Mapping[str, Function]) -> Function:
    try:
        return functions[kind]
    except KeyError:
        raise UnknownKind(kind) from None
