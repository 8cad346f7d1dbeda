"""A Redis with Sentinels: clients find the master, and go on after a failover."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.sentinel import MasterNotFoundError

from service.composition.service import compose
from service.environment import BadSetting
from service.settings import read_settings
from service.storage import sentinel
from service.storage.connections import connect, open_store
from service.storage.sentinel import LOOK_AGAIN, MasterFinder
from tests.service.operations.test_backup import played_game
from tests.service.redis_sentinel import NAME, Watched
from tests.waiting import eventually


def write(client: redis.Redis) -> bool:
    """Whether a write is accepted."""
    try:
        return bool(client.set("key", "value"))
    except (redis.ConnectionError, redis.TimeoutError):
        return False


@pytest.mark.slow
def test_clients_go_on_at_the_new_master(watched: Watched) -> None:
    settings = read_settings({"MOVELOG_REDIS_URL": watched.url})
    with open_store(watched.url) as one, connect(settings.queue_url, settings) as other:
        assert write(one)
        assert write(other)
        before = watched.find_master()
        watched.sentinels[0].ask("SENTINEL FAILOVER", NAME)
        eventually(lambda: not before.is_master(), "another one is the master")
        for client in (one, other):
            eventually(partial(write, client), "writes go on")
            assert client.get("key") == b"value"
    watched.wait_until_whole()


@pytest.mark.slow
def test_a_server_that_is_no_longer_the_master_is_left_though_it_answers(watched: Watched) -> None:
    with open_store(watched.url) as client:
        assert write(client)
        pool = client.connection_pool
        connection = pool.get_connection()
        replica = next(s for s in watched.nodes if s is not watched.find_master())
        # As if the replica had been the master when the connection was made.
        connection.disconnect()
        finder = connection.connection_pool
        finder._found, finder._looked_at = (connection.host, replica.port), float("inf")
        connection.connect_to(finder._found)
        finder._looked_at = 0.0
        pool.release(connection)
        assert write(client)
        assert pool.get_connection().port == watched.find_master().port


@pytest.mark.slow
def test_the_answer_of_a_former_master_is_refused(watched: Watched) -> None:
    with open_store(watched.url) as client:
        pool = client.connection_pool
        connection = pool.get_connection()
        connection.send_command("PING")
        finder = connection.connection_pool
        finder._found, finder._looked_at = (connection.host, 1), float("inf")
        with pytest.raises(redis.ConnectionError, match="is not the master now"):
            connection.read_response()
        assert not connection.is_connected
        pool.release(connection)
        assert write(client)


@pytest.mark.slow
def test_a_connection_whose_answer_is_late_is_ended(watched: Watched) -> None:
    """Left open, the connection would return that answer to another request."""
    with open_store(f"{watched.url}?socket_timeout=1") as client:
        pool = client.connection_pool
        eventually(partial(write, client), "it is connected")
        connection = pool.get_connection()
        master = watched.find_master()
        master.signal(signal.SIGSTOP)
        try:
            connection.send_command("PING")
            with pytest.raises(redis.TimeoutError):
                connection.read_response()
        finally:
            master.signal(signal.SIGCONT)
        assert not connection.is_connected
        pool.release(connection)
    watched.wait_until_whole()


@pytest.mark.slow
def test_without_sentinels_everything_stays_as_it_is(watched: Watched) -> None:
    with open_store(watched.url) as client, open_store(watched.url) as late:
        assert write(client)
        for each in watched.sentinels:
            each.kill()
        try:
            time.sleep(LOOK_AGAIN)
            assert write(client)
            client.connection_pool.disconnect()
            assert write(client)
            with pytest.raises(redis.ConnectionError, match="no Sentinel knows of a master"):
                late.ping()
        finally:
            for each in watched.sentinels:
                each.start()
            watched.wait_until_whole()
        assert write(late)


Saying = tuple[int, int, int] | None
"""What a Sentinel says: the port in its state of the master, the number of the failover, and the
port that it names as the master's; None if it does not answer."""


class Sentinels:
    """Sentinels on ports 1 to 3, and a finder that asks them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: dict[int, Saying] = {}
        self.finder = MasterFinder(NAME, [("h", 1), ("h", 2), ("h", 3)], {})
        self.down: set[int] = set()

        def ask(client: redis.Redis) -> tuple[int, int, int]:
            said = self.said[client.get_connection_kwargs()["port"]]
            if said is None:
                raise redis.ConnectionError
            return said

        def tell_state(client: redis.Redis, name: str) -> dict[str, Any]:
            port, epoch, _ = ask(client)
            is_down = port in self.down
            return {
                "ip": "h",
                "port": port,
                "config-epoch": epoch,
                "is_sdown": is_down,
                "is_odown": False,
            }

        def tell_address(client: redis.Redis, name: str) -> tuple[bytes, int]:
            return b"h", ask(client)[2]

        monkeypatch.setattr(redis.Redis, "sentinel_master", tell_state)
        monkeypatch.setattr(redis.Redis, "sentinel_get_master_addr_by_name", tell_address)

    def find(self, *said: Saying) -> int | None:
        """The master's port that is found if the Sentinels say this; None if none is found."""
        self.said |= dict(enumerate(said, 1))
        try:
            return self.finder.get_master_address()[1]
        except MasterNotFoundError:
            return None


@pytest.fixture
def sentinels(monkeypatch: pytest.MonkeyPatch) -> Sentinels:
    return Sentinels(monkeypatch)


OLD, NEW = (7, 1, 7), (8, 2, 8)
TURNING = (7, 2, 8)
"""What the Sentinel says that leads the failover, while replicas begin to follow the new master."""


def test_a_sentinel_that_has_not_heard_of_a_failover_is_not_believed(sentinels: Sentinels) -> None:
    assert sentinels.find(OLD, OLD, OLD) == 7
    assert sentinels.find(None, NEW, None) == 8
    assert sentinels.find(OLD, OLD, NEW) == 8
    # The one that knows may be the one that does not answer.
    assert sentinels.find(OLD, OLD, None) == 8
    assert sentinels.find(None, None, None) == 8


def test_the_new_master_is_found_before_replicas_follow_it(sentinels: Sentinels) -> None:
    assert sentinels.find(OLD, OLD, OLD) == 7
    sentinels.down = {7}
    assert sentinels.find(OLD, TURNING, OLD) == 8
    sentinels.down = set()
    assert sentinels.find(OLD, TURNING, OLD) == 8
    assert sentinels.find(OLD, NEW, OLD) == 8
    # What the leading Sentinel's state would give by itself.
    assert sentinels.find((7, 2, 7), NEW, OLD) == 8


def test_sentinels_that_were_set_up_anew_are_believed_after_a_while(
    sentinels: Sentinels, monkeypatch: pytest.MonkeyPatch
) -> None:
    anew = (9, 0, 9)
    assert sentinels.find(NEW, NEW, NEW) == 8
    assert sentinels.find(None, anew, anew) == 8
    monkeypatch.setattr(sentinel, "PATIENCE_WITH_OLD", 0)
    assert sentinels.find(None, anew, anew) == 9
    assert sentinels.finder.is_still(("h", 9))


def test_while_the_master_is_down_no_server_is_it(sentinels: Sentinels) -> None:
    assert sentinels.find(OLD, OLD, OLD) == 7
    sentinels.down = {7}
    assert sentinels.find(OLD, OLD, OLD) is None
    assert not sentinels.finder.is_still(("h", 7))
    sentinels.down = set()
    assert sentinels.find(OLD, OLD, OLD) == 7


@pytest.mark.slow
def test_a_master_that_sentinels_do_not_know_is_named(watched: Watched) -> None:
    url = watched.url.replace(f"/{NAME}/", "/other/")
    with open_store(url) as client, pytest.raises(redis.ConnectionError, match="No such master"):
        client.ping()


def test_a_url_has_the_options_of_servers_and_of_sentinels() -> None:
    url = "rediss+sentinel://ann:s%40x@[::1],b:7/my%20games/2?sentinel_password=t&ssl_ca_certs=c"
    with open_store(url) as client:
        given = client.get_connection_kwargs()
        assert (given["username"], given["password"], given["db"]) == ("ann", "s@x", 2)
        assert given["ssl_ca_certs"] == "c"
        assert "sentinel_password" not in given
        finder = given["connection_pool"]
        assert finder.service_name == "my games"
        assert finder._sentinels == [("::1", 26379), ("b", 7)]
        assert finder._options["password"] == "t"
        assert finder._options["ssl"]


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://",
        "redis+sentinel://a",
        "redis+sentinel://a:0/name",
        "redis+sentinel://a,b:x/name",
        "redis+sentinel:///name",
        "redis+sentinel://a/name/first",
    ],
)
def test_a_url_that_names_no_sentinels_or_no_master_is_refused(url: str) -> None:
    for name in ("MOVELOG_REDIS_URL", "MOVELOG_QUEUE_URL"):
        with pytest.raises(BadSetting, match=f"{name}: Sentinels and their name of the master"):
            read_settings({name: url})


@pytest.mark.slow
def test_commands_work_on_it(watched: Watched, tmp_path: Path) -> None:
    given = {
        "MOVELOG_DATA_DIR": str(tmp_path / "data"),
        "MOVELOG_REDIS_URL": watched.url,
        "PATH": "/usr/bin:/bin",
    }
    # Other tests have left the data of a service with other keys.
    watched.find_master().ask("FLUSHALL")
    played_game(compose(read_settings(given)))
    for command in (
        "rebuild",
        "audit",
        "readers",
        "prune --days 1",
        "key list",
        "backup saved.zst",
    ):
        arguments = [sys.executable, "-m", "service.cli", *command.split()]
        ended = subprocess.run(
            arguments, env=given, cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert ended.returncode == 0, ended.stderr
