"""A PostgreSQL server that accepts connections and queries but never answers holds nobody up."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from service.projection.database import silence as silence_module
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.errors import DatabaseAway
from tests.service.postgresql import PostgresqlServer
from tests.service.projection.database.test_database import add, ids
from tests.waiting import PATIENCE, eventually, join

pytestmark = pytest.mark.slow

LONG = 20.0
"""Seconds that nobody waits, even on a slow machine; less than any time limit of a server."""


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]


def seconds_to_refuse(database: Database) -> float:
    """How many seconds a query waits until it is refused."""
    begun = time.monotonic()
    with pytest.raises(DatabaseAway):
        database.read(ids)
    return time.monotonic() - begun


def refuse_without_waiting(database: Database) -> None:
    """Check that queries are refused without so much as connecting to the server."""

    def connect(*given: object, **options: object) -> None:
        raise AssertionError("a query waits for a connection")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(silence_module.AttentiveConnection, "connect", connect)
        for _ in range(20):
            assert seconds_to_refuse(database) < LONG


def test_a_server_that_takes_connections_and_never_answers(
    silent_port: int, tmp_path: Path
) -> None:
    database = open_database(tmp_path, f"postgresql://movelog@127.0.0.1:{silent_port}/movelog")
    assert seconds_to_refuse(database) < LONG
    refuse_without_waiting(database)
    with pytest.raises(DatabaseAway):
        database.write(add("one"))


def test_a_server_that_falls_silent_is_away_until_it_answers_again(
    own_postgresql: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence_module, "LISTENING", 0.5)
    database = open_database(tmp_path, own_postgresql.empty())
    database.write(add("one"))
    assert database.read(ids) == ["one"]
    with own_postgresql.silent():
        # The first query waits on the kept connection, and then tries another one.
        assert seconds_to_refuse(database) < LONG
        refuse_without_waiting(database)
        with pytest.raises(DatabaseAway, match="does not answer"):
            database.write(add("two"))

    def answers() -> bool:
        try:
            return database.read(ids) == ["one"]
        except DatabaseAway:
            return False

    eventually(answers)
    database.write(add("two"))
    assert database.read(ids) == ["one", "two"]
    database.close()


def test_all_who_wait_are_refused_together(
    own_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    database = open_database(tmp_path, own_postgresql.empty())
    database.write(add("one"))
    waited: list[float] = []
    with own_postgresql.silent():
        readers = [
            threading.Thread(target=lambda: waited.append(seconds_to_refuse(database)))
            for _ in range(6)
        ]
        for reader in readers:
            reader.start()
        join(*readers)
    assert len(waited) == 6
    assert max(waited) < LONG


def test_a_long_question_of_a_server_that_answers_others_is_waited_for(
    postgresql: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence_module, "LISTENING", 0.2)
    monkeypatch.setattr(silence_module, "CONNECTING", 30)
    database = open_database(tmp_path, postgresql.empty())

    def ask(connection: Connection) -> int:
        return int(connection.execute(text("SELECT 7 FROM pg_sleep(1.5)")).scalar_one())

    assert database.read(ask) == 7
    assert database.write(ask) == 7
    database.close()


PROGRAM = """
from gevent import monkey
monkey.patch_all()
import sys
from pathlib import Path
import gevent
from service.projection.database import silence
from service.projection.database.opening import open_database
from service.projection.errors import DatabaseAway, DatabaseSlow
from tests.service.projection.database.test_database import ids

database = open_database(Path(sys.argv[1]), sys.argv[2])
refused = []

def ask():
    try:
        database.read(ids)
    except DatabaseAway:
        refused.append(True)

# Longer than a process stands still on a busy machine.
silence.CONNECTING = 9
questions = [gevent.spawn(ask) for _ in range(20)]
gevent.sleep(0.1)
try:
    database.read(ids, 0.3)
except DatabaseSlow:
    print("late" if refused else "slow")
gevent.joinall(questions)
print(len(refused))

def connect(*given, **options):
    raise AssertionError("a query waits for a connection")

# Nobody waits any more, and who looks after the server does so in a thread of its own.
silence.AttentiveConnection.connect = connect
for _ in range(30):
    try:
        database.read(ids, 5)
    except DatabaseAway:
        pass
    gevent.sleep(0.1)
print("refused")
"""


def test_under_gevent_who_cannot_wait_does_not(silent_port: int, tmp_path: Path) -> None:
    """A query with a short patience gives up in time, even behind twenty that wait."""
    url = f"postgresql://movelog@127.0.0.1:{silent_port}/movelog"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), url],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["slow", "20", "refused"], "")
