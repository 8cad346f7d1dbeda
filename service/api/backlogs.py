"""How far behind each duty is: in jobs, due flags, and answers of the computer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.composition.service import Service
from service.jobs.duties import CLOCKS, COMPUTER, DUTIES, Duty

SILENCE: Final = 30_000
"""Milliseconds after which processes that play the computer's games are taken for dead: they save
their positions every ten seconds."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many due things wait, and for how many seconds the first of them has been due.

    The search for puzzles is counted, but since nobody waits for it, it is never overdue.
    """

    queued: int
    oldest_seconds: float


def measure_backlogs(service: Service) -> dict[Duty, Backlog]:
    """The backlog of every duty."""
    backlogs = {duty: measure_jobs(service, duty) for duty in DUTIES}
    return backlogs | {CLOCKS: measure_flags(service), COMPUTER: measure_answers(service)}


def measure_jobs(service: Service, duty: Duty) -> Backlog:
    """The backlog of a duty whose work is jobs."""
    waiting = service.jobs.waiting(duty.kinds, duty.unhurried)
    return Backlog(waiting.queued, waiting.seconds(service.jobs.clock()))


def measure_flags(service: Service) -> Backlog:
    """The games whose flag is due to fall."""
    now = service.games.clock()
    alarms = service.log.alarms.look(now).alarms
    return Backlog(len(alarms), (now - alarms[0].at) / 1000 if alarms else 0.0)


def measure_answers(service: Service) -> Backlog:
    """The computer's answers that are overdue, and its games that nobody looks at."""
    now = service.games.clock()
    overdue = Backlog(*service.open_games.measure_backlog(now))
    saved = service.open_games.find_saved()
    if saved is None or now - saved < SILENCE:
        return overdue
    unseen = service.unseen_news.find(service.open_games.load_positions())
    if not unseen:
        return overdue
    oldest = max(overdue.oldest_seconds, (now - min(unseen.values())) / 1000)
    return Backlog(overdue.queued + len(unseen), oldest)
