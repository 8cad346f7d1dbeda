"""Asking for what a tournament's command began to be finished."""

from __future__ import annotations

from service.errors import NotFound
from service.ids import derived_id
from service.jobs.errors import WrongJobState
from service.jobs.kinds import ROUNDS
from service.jobs.queue import JobQueue


def ask_to_carry_on(queue: JobQueue, tournament: str, version: int) -> None:
    """Have what there is to do since `version` of a tournament done; asking twice is one job."""
    arguments = {"tournament": tournament, "version": version}
    queue.submit(job_of(tournament, version), ROUNDS, arguments)


def ask_again(queue: JobQueue, tournament: str, version: int) -> None:
    """The same, also where the job was given up: then the reconciler hints at it."""
    id = job_of(tournament, version)
    try:
        queue.jobs.requeue(id)
    except NotFound:
        ask_to_carry_on(queue, tournament, version)
    except WrongJobState:
        # Somebody is at it.
        return


def job_of(tournament: str, version: int) -> str:
    """The id of the job."""
    # It is no secret: it only has to be the same each time.
    return derived_id(b"", ROUNDS, tournament, str(version))
