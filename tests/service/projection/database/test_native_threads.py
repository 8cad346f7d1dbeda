"""Under gevent the loop goes on while a database query takes its time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from gevent import monkey
monkey.patch_all()
import sys, time
from pathlib import Path

import pytest
import gevent
from sqlalchemy import text
from service.projection.database.opening import open_database

database = open_database(Path(sys.argv[1]), sys.argv[2] or None)
SLOW = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000)"
    " SELECT max(i) FROM n",
    "postgresql": "SELECT pg_sleep(2)",
}
ticks = []
over = []

def tick():
    while not over:
        ticks.append(time.monotonic())
        gevent.sleep(0.01)

def ask(connection):
    begun = time.monotonic()
    connection.execute(text(SLOW[connection.dialect.name])).scalar()
    return begun, time.monotonic()

streams = [gevent.spawn(tick) for _ in range(20)]
questions = [gevent.spawn(database.read, ask) for _ in range(3)]
gevent.joinall(questions, raise_error=True)
over.append(True)
gevent.joinall(streams, raise_error=True)
begun = min(one.value[0] for one in questions)
ended = max(one.value[1] for one in questions)
during = [tick for tick in ticks if begun < tick < ended]
# Each question held a thread, and nobody else.
print(len(during) > 100, max(b[0] for b in (one.value for one in questions)) < ended)
try:
    database.write(lambda connection: 1 / 0)
except ZeroDivisionError:
    print("raised")
"""


def run(program: str, *given: str, prints: list[str]) -> None:
    """Run a program to its end; fails unless it prints these words and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", program, *given],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (prints, "")


@pytest.mark.slow
def test_streams_go_on_during_a_question_that_takes_seconds(
    database_url: str | None, tmp_path: Path
) -> None:
    run(PROGRAM, str(tmp_path), database_url or "", prints=["True", "True", "raised"])


FIRST_USES = """
from gevent import monkey
monkey.patch_all()
import os, sys
from pathlib import Path

import pytest
import gevent
from sqlalchemy import event, text
from sqlalchemy.pool import Pool
from service.projection.database.opening import open_database

# A connection takes its time, so that all the others come meanwhile.
sleep = monkey.get_original("time", "sleep")
event.listen(Pool, "connect", lambda *given: sleep(0.02))

def ask(connection):
    return connection.execute(text("SELECT 1")).scalar()

for _ in range(10):
    database = open_database(Path(sys.argv[1]), sys.argv[2] or None)
    questions = [gevent.spawn(database.read, ask) for _ in range(10)]
    over = gevent.joinall(questions, timeout=60)
    database.close()
    if len(over) < len(questions):
        print("unanswered", flush=True)
        os._exit(1)
print("answered")
"""
"""Queries the database as a web process does whose first requests arrive together."""


@pytest.mark.slow
def test_the_first_questions_of_a_process_come_together(
    database_url: str | None, tmp_path: Path
) -> None:
    run(FIRST_USES, str(tmp_path), database_url or "", prints=["answered"])


STANDSTILL = """
from gevent import monkey
monkey.patch_all()
import gevent
from service.storage.native_threads import TookTooLong, call_natively

sleep = monkey.get_original("time", "sleep")

def answer():
    sleep(0.3)
    return "answered"

waiting = gevent.spawn(call_natively, answer, 0.6)
gevent.sleep(0.1)
sleep(1.5)
print(waiting.get())
try:
    call_natively(lambda: sleep(3), 0.6)
except TookTooLong:
    print("late")
"""
"""Asks while the loop stands still for longer than the caller wants to wait."""


@pytest.mark.slow
def test_an_answer_that_came_while_the_loop_stood_still_is_not_late() -> None:
    run(STANDSTILL, prints=["answered", "late"])
