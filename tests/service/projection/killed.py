"""Processes that write to the database and kill themselves somewhere within it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import count

from tests.waiting import PATIENCE

PROGRAM = """
import os, signal, sys
from sqlalchemy import Engine, event
from service.composition.service import compose
from service.jobs.queue import JobQueue
from service.projection import openings
from service.composition.projector import compose_projector
from service.settings import read_settings

last = int(sys.argv[1])
statements = 0

@event.listens_for(Engine, "before_cursor_execute")
def count_statement(connection, *given):
    global statements
    statements += bool(connection.get_execution_options().get("writing"))
    if statements == last:
        os.kill(os.getpid(), signal.SIGKILL)

service = compose(read_settings(os.environ))
if sys.argv[2] == "project":
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    while projector.step(0.001):
        pass
else:
    openings.BATCH = 7
    openings.Classification(service.database).run()
"""


def run_killed(environment: Mapping[str, str], task: str, every: int) -> Iterator[int]:
    """Do a task, `project` or `classify`, in processes of which each one comes further.

    The first is killed before the statement `every` that it writes by, the next before the one
    behind twice as many, and so on, until one of them comes to its end. Gives the numbers of those
    statements.
    """
    for last in count(every, every):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(last), task],
            env=os.environ | environment,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode == 0:
            return
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        yield last
