"""The pool of connections to Redis: reused, bounded, and never one that the server has closed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
import redis

from service.settings import read_settings
from service.storage import connections
from service.storage.connections import ConnectionPool, connect
from tests.service.redis_server import RedisServer


def connect_to(server: RedisServer, most: int = 2) -> redis.Redis:
    return connect(server.url, replace(read_settings({}), redis_connections=most))


def list_others(client: redis.Redis) -> list[str]:
    """The ids of the server's other clients."""
    own = client.client_id()
    return [each["id"] for each in client.client_list() if each["id"] != str(own)]


def test_a_connection_is_used_again(redis_server: RedisServer) -> None:
    client = connect_to(redis_server)
    assert client.client_id() == client.client_id()


def test_a_connection_that_the_server_has_closed_is_made_anew(redis_server: RedisServer) -> None:
    client, other = connect_to(redis_server), redis_server.client()
    before = client.client_id()
    other.client_kill_filter(_id=str(before))
    assert client.client_id() != before


def test_an_answer_that_nobody_waited_for_is_nobody_elses(redis_server: RedisServer) -> None:
    client = connect_to(redis_server)
    connection = client.connection_pool.get_connection()
    connection.send_command("ECHO", "stray")  # type: ignore[no-untyped-call]
    # Wait until the answer has arrived.
    assert connection.can_read(timeout=10)
    client.connection_pool.release(connection)
    assert client.echo("mine") == b"mine"


def test_whoever_finds_none_free_is_told_in_the_end(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.01)
    client = connect_to(redis_server, most=1)
    assert isinstance(client.connection_pool, ConnectionPool)
    held = client.connection_pool.get_connection()
    with pytest.raises(redis.ConnectionError):
        client.ping()
    client.connection_pool.release(held)
    assert client.ping()


GEVENT = """
from gevent import monkey; monkey.patch_all()
import sys
from dataclasses import replace
from service.settings import read_settings
from service.storage.connections import connect
client = connect(sys.argv[1], read_settings({}))
other = connect(sys.argv[1], read_settings({}))
first = client.client_id()
assert client.client_id() == first
other.client_kill_filter(_id=str(first))
second = client.client_id()
assert second != first
held = client.connection_pool.get_connection()
held.send_command("ECHO", "stray")
assert held.can_read(timeout=10)
client.connection_pool.release(held)
assert client.echo("mine") == b"mine"
"""


def test_the_same_holds_under_gevent(redis_server: RedisServer) -> None:
    subprocess.run([sys.executable, "-c", GEVENT, redis_server.url], check=True, timeout=60)
