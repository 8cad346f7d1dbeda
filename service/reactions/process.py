"""The projector's process: the projector and the reconciler in one loop."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Event
from typing import Final

import redis

from service.composition import Service, now
from service.game.state import GameState
from service.jobs.job import Job
from service.jobs.kinds import IMPORT, NOTICES, ROUNDS, SCORING
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import Jobs
from service.jobs.upkeep import Upkeep
from service.projection.mergers import MergerFollower
from service.projection.players import PlayerFollower
from service.projection.projector import Ended, Follower, Projector
from service.projection.tournaments import TournamentFollower
from service.reactions.imports import ImportFollower
from service.reactions.rounds import ask_to_carry_on
from service.reactions.scoring import EndedGames, ask_one_by_one
from service.storage.connections import connect

log = logging.getLogger(__name__)

WAIT: Final = 0.5
"""Seconds a step waits for something new, and so how long a stop takes."""
RECONCILE: Final = 2.0
"""Seconds between two rounds of the reconciler."""
RETRY: Final = 60.0
"""Seconds after which games set aside are tried again."""
CLOSE: Final = 1.0
"""Seconds between two looks for rating periods that are over."""
BACKOFF: Final = (0.1, 5.0)
"""Seconds until the first attempt to reach a lost store again, and at most."""


def run_projector(service: Service, stop: Event) -> None:
    """Project and reconcile until `stop` is set; a store that is away is waited for."""
    connection = connect(service.settings.queue_url, service.settings)
    queue = JobQueue(Jobs(service.store, now), connection)
    rounds = Rounds(Reconciler(queue, partial(given_up, service, queue)).run, RECONCILE)
    delay = BACKOFF[0]
    while not stop.is_set():
        try:
            Upkeep(queue.jobs).adopt()
            projector = projector_of(service, queue, stop)
            retries = Rounds(projector.retry_parked, RETRY)
            closing = Rounds(lambda: service.ratings.close(now()), CLOSE)
            while not stop.is_set():
                projector.step(WAIT)
                retries.run()
                closing.run()
                delay = BACKOFF[0]
                try:
                    rounds.run()
                except redis.RedisError:
                    # The queue may be on a server of its own; the lists go on without it.
                    log.warning("the jobs could not be reconciled", exc_info=True)
        except redis.RedisError as error:
            log.warning("the store is away (%s), trying again in %.1f s", error, delay)
            stop.wait(delay)
            delay = min(2 * delay, BACKOFF[1])


def projector_of(service: Service, queue: JobQueue, stop: Event) -> Projector:
    """A projector of all there is in this service, that ends its steps once `stop` is set."""
    carry_on = partial(ask_to_carry_on, queue)
    followers: list[Follower] = [
        TournamentFollower(service.tournaments, service.store, carry_on),
        ImportFollower(
            service.imports,
            service.import_list,
            service.jobs,
            service.webhooks,
            service.admins,
        ),
        MergerFollower(service.games, service.store),
        PlayerFollower(service.log, service.player_list),
    ]
    return Projector(
        service.games,
        service.store,
        asker(queue, service),
        stop.is_set,
        service.ratings,
        followers,
        service.tournaments.awaits,
    )


def given_up(service: Service, queue: JobQueue, job: Job) -> None:
    """End what a job was for that no worker has survived.

    Of a job for many games only the one that kills workers is given up.
    """
    if job.kind in (SCORING, NOTICES):
        ask_one_by_one(queue, job)
    elif job.kind == IMPORT:
        service.imports.give_up(job.id, job.reason)
    elif job.kind == ROUNDS:
        service.tournaments.give_up(
            job.arguments["tournament"], job.arguments["version"], job.reason
        )


def asker(queue: JobQueue, service: Service) -> Ended:
    """What has ended games scored, and told of where there is any webhook."""
    scoring, notices = EndedGames(queue, SCORING), EndedGames(queue, NOTICES)

    def ask(games: Sequence[GameState]) -> None:
        ended = [(game.id, game.version) for game in games]
        scoring.ask(ended)
        if service.webhooks.any():
            notices.ask(ended)

    return ask


class Rounds:
    """Something done at once, and again when `every` seconds have passed since it was begun."""

    def __init__(self, task: Callable[[], None], every: float) -> None:
        self.task = task
        self.every = every
        self._next = float("-inf")

    def run(self) -> None:
        """Do it if it is time."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.every
            self.task()
