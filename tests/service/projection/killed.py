"""Processes that write to the database and kill themselves in the middle."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from sqlalchemy import Connection, Engine, event

from service.composition.projector import compose_projector
from service.composition.service import Service, compose
from service.jobs.queue import JobQueue
from service.projection import openings
from service.projection.puzzles.puzzles import write_collection
from service.settings import read_settings
from tests.apart import KILLED, kill_self, run_apart

Task = Callable[[Service], None]


def project(service: Service) -> None:
    """Bring the lists up to date, as the projector's process does."""
    write_collection(service.database)
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    while projector.step(0.001):
        pass


def classify(service: Service) -> None:
    """Classify games by their openings, a few at a time."""
    openings.BATCH = 7  # type: ignore[misc]
    openings.Classification(service.database).run()


def run_killed(environment: Mapping[str, str], task: Task, every: int) -> Iterator[int]:
    """Run a task in processes, each of which gets further than the one before.

    The first is killed before the writing statement number `every`, the next before number
    `2 * every`, and so on, until one completes. Yields the numbers of those statements.
    """
    for last in count(every, every):
        status = run_apart(_do_until, task, last, environment=environment)
        if status == 0:
            return
        assert status == KILLED
        yield last


def _do_until(task: Task, last: int) -> None:
    """Run a task, but kill the process before the writing statement of this number."""
    statements = count(1)

    @event.listens_for(Engine, "before_cursor_execute")
    def count_statement(connection: Connection, *given: object) -> None:
        if connection.get_execution_options().get("writing") and next(statements) == last:
            kill_self()

    task(compose(read_settings(os.environ)))
