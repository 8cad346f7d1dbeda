"""Processes that write to the database and kill themselves somewhere within it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from sqlalchemy import Connection, Engine, event

from service.composition.projector import compose_projector
from service.composition.service import Service, compose
from service.jobs.queue import JobQueue
from service.projection import openings
from service.settings import read_settings
from tests.apart import KILLED, kill_self, run_apart

Task = Callable[[Service], None]


def project(service: Service) -> None:
    """Bring the lists up to date."""
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    while projector.step(0.001):
        pass


def classify(service: Service) -> None:
    """Give games their openings, a few at a time."""
    openings.BATCH = 7  # type: ignore[misc]
    openings.Classification(service.database).run()


def run_killed(environment: Mapping[str, str], task: Task, every: int) -> Iterator[int]:
    """Do a task in processes of which each one comes further.

    The first is killed before the statement `every` that it writes by, the next before the one
    behind twice as many, and so on, until one of them comes to its end. Gives the numbers of those
    statements.
    """
    for last in count(every, every):
        status = run_apart(_do_until, task, last, environment=environment)
        if status == 0:
            return
        assert status == KILLED
        yield last


def _do_until(task: Task, last: int) -> None:
    """Do a task, but not its statement of this number, by which it writes."""
    statements = count(1)

    @event.listens_for(Engine, "before_cursor_execute")
    def count_statement(connection: Connection, *given: object) -> None:
        if connection.get_execution_options().get("writing") and next(statements) == last:
            kill_self()

    task(compose(read_settings(os.environ)))
