"""Submits a job for each command of a tournament that leaves work."""

from __future__ import annotations

from typing import Final

from service.log.interface import EventLog
from service.log.values import Event
from service.reactions.event_follower import EventFollower
from service.reactions.round_jobs import RoundJobs
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


def make_round_follower(events: EventLog, jobs: RoundJobs) -> EventFollower:
    """Make the follower that submits a job for each event of a tournament that leaves work."""
    return EventFollower(
        events,
        KIND,
        leaves_work,
        lambda pointer, entry: jobs.submit(pointer.stream.id, pointer.last, entry.by),
    )


def leaves_work(event: Event) -> bool:
    """Whether there is something to do after an event.

    A game may be reopened while its pairing is being ruled on; the job then ends it as ruled.
    """
    reopened = isinstance(event, ResultTallied) and event.termination is None
    return reopened or isinstance(event, UNFINISHED)
