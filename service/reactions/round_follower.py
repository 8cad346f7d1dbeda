"""Jobs that finish what a tournament's command began: pair a round, create or close games."""

from __future__ import annotations

from typing import Final

from service.errors import NotFound
from service.ids import derived_id
from service.jobs.errors import WrongJobState
from service.jobs.job_kinds import ROUNDS
from service.jobs.queue import JobQueue
from service.log.interface import EventLog
from service.log.values import Event
from service.reactions.event_follower import EventFollower
from service.tournament.events import (
    GameJoined,
    ResultRuled,
    ResultTallied,
    RoundAsked,
    RoundUnpaired,
)
from service.tournament.repository import KIND

UNFINISHED: Final = (RoundAsked, RoundUnpaired, ResultRuled, GameJoined)
"""Events after which there is a round to pair, or games to create, start or close."""


def make_round_follower(events: EventLog, queue: JobQueue) -> EventFollower:
    """Make the follower that submits a job for each event of a tournament that leaves work."""
    return EventFollower(
        events,
        KIND,
        leaves_work,
        lambda pointer, entry: submit_round(queue, pointer.stream.id, pointer.last),
    )


def leaves_work(event: Event) -> bool:
    """Whether there is something to do after an event.

    A game may be reopened while its pairing is being ruled on; the job then ends it as ruled.
    """
    reopened = isinstance(event, ResultTallied) and event.termination is None
    return reopened or isinstance(event, UNFINISHED)


def submit_round(queue: JobQueue, tournament: str, version: int) -> None:
    """Queue the work that `version` of a tournament left; submitting twice makes one job."""
    arguments = {"tournament": tournament, "version": version}
    queue.submit(round_job_id(tournament, version), ROUNDS, arguments)


def resubmit_round(queue: JobQueue, tournament: str, version: int) -> None:
    """Like `submit_round`, but also queue the job again if it has failed."""
    try:
        queue.jobs.requeue(round_job_id(tournament, version))
    except NotFound:
        submit_round(queue, tournament, version)
    except WrongJobState:
        # It is queued or running.
        return


def round_job_id(tournament: str, version: int) -> str:
    """The id of the job for a version of a tournament."""
    # It is not secret: it only has to be the same each time.
    return derived_id(b"", ROUNDS, tournament, str(version))
