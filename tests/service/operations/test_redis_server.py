"""The embedded Redis, and how other commands reach it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.operations.data_dir import is_locked, lock_data_dir
from service.operations.errors import AlreadyServed, NotServing, RedisEnded
from service.operations.reachable_store import reach_store, start_store
from service.operations.redis_server import LONGEST_SOCKET_PATH, RedisServer, prepare_redis_server
from service.operations.serving import make_store_program
from service.settings import Settings, read_settings
from service.storage.erasures import ERASED, UNDER_WAY, note_erasure, rewrite_without_erased
from tests.waiting import eventually

pytestmark = pytest.mark.slow


def test_it_keeps_what_it_was_told_and_has_no_port(embedded: Settings) -> None:
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        assert settings.queue_url == settings.redis_url
        configured = client.config_get("*")
        assert configured["port"] == "0"
        assert (configured["appendonly"], configured["appendfsync"]) == ("yes", "always")
        client.set("kept", "yes")
    assert not (embedded.data_dir / "run" / "redis.url").exists()
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        assert client.get("kept") == b"yes"


def test_what_was_erased_leaves_the_append_only_file(embedded: Settings) -> None:
    files = embedded.data_dir / "redis" / "appendonlydir"

    def is_kept() -> bool:
        try:
            return any(b"Augusta" in file.read_bytes() for file in files.iterdir())
        except FileNotFoundError:  # renamed or deleted by a rewrite, which has not ended
            return True

    day = 24 * 3600 * 1000
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        client.set("name", "Augusta")
        client.delete("name")
        note_erasure(client, time.time_ns() // 1_000_000 - day // 2)
        rewrite_without_erased(client, time.time_ns() // 1_000_000)
        assert not client.info("persistence")["aof_rewrite_in_progress"]
        note_erasure(client, time.time_ns() // 1_000_000)
        assert client.get(ERASED) is not None, "nothing is due yet"
        # A rewrite that ended with its server is begun again.
        client.rename(ERASED, UNDER_WAY)
    assert is_kept()
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        eventually(lambda: not is_kept())
        eventually(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
        rewrite_without_erased(client, time.time_ns() // 1_000_000)
        assert not client.exists(ERASED, UNDER_WAY)
        note_erasure(client, time.time_ns() // 1_000_000 - day)
        rewrite_without_erased(client, time.time_ns() // 1_000_000)
        assert client.exists(UNDER_WAY)
        eventually(lambda: client.info("persistence")["aof_rewrites"] >= 2)


def test_an_erasure_noted_with_the_clock_ahead_does_not_put_off_the_rewrite(
    embedded: Settings,
) -> None:
    now, year = time.time_ns() // 1_000_000, 365 * 24 * 3600 * 1000
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        note_erasure(client, now + year)
        note_erasure(client, now)
        rewrite_without_erased(client, now)
        assert not client.exists(ERASED)
        assert client.exists(UNDER_WAY)


def test_others_find_the_one_that_runs(embedded: Settings) -> None:
    with reach_store(embedded) as first, reach_store(embedded) as second:
        assert first.redis_url == second.redis_url
        with pytest.raises(AlreadyServed), reach_store(embedded, restoring=True):
            pass


def test_a_path_too_long_for_a_socket_is_no_hindrance(tmp_path: Path) -> None:
    data_dir = tmp_path / "a long name" / ("x" * LONGEST_SOCKET_PATH)
    embedded = read_settings({"MOVELOG_DATA_DIR": str(data_dir)})
    with reach_store(embedded) as settings:
        socket = Path(settings.redis_url.removeprefix("unix://"))
        assert not socket.is_relative_to(data_dir)
        assert socket.parent.stat().st_mode & 0o777 == 0o700
        with redis.Redis.from_url(settings.redis_url) as client:
            client.set("kept", "yes")
    assert not socket.parent.exists()
    assert (data_dir / "redis").is_dir()


def test_odd_characters_in_the_path_are_no_hindrance(tmp_path: Path) -> None:
    embedded = read_settings({"MOVELOG_DATA_DIR": str(tmp_path / "a b?c#d%20'ü")})
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        assert client.ping()


def test_a_store_that_ends_before_its_keys_are_compared_is_not_ready(
    embedded: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = replace(embedded, redis_url=f"unix://{tmp_path}/gone.sock")
    monkeypatch.setattr(RedisServer, "is_ready", lambda server: True)
    with lock_data_dir(embedded.data_dir) as lock, prepare_redis_server(embedded) as server:
        ready = make_store_program(server, gone, lock).ready
        assert ready is not None
        assert not ready()


def test_a_queue_elsewhere_stays_there(embedded: Settings) -> None:
    elsewhere = replace(embedded, queue_url="redis://queue.example:6379")
    with reach_store(elsewhere) as settings:
        assert settings.queue_url == "redis://queue.example:6379"


def test_a_redis_that_is_configured_is_used_as_it_is(settings: Settings) -> None:
    with reach_store(settings, restoring=True) as reached:
        assert reached is settings
        with pytest.raises(AlreadyServed), reach_store(settings, restoring=True):
            pass
    with reach_store(settings) as reached:
        assert reached is settings
        assert not is_locked(settings.data_dir)


def test_a_service_that_is_just_starting_cannot_be_reached(embedded: Settings) -> None:
    with (
        lock_data_dir(embedded.data_dir),
        pytest.raises(NotServing) as refused,
        reach_store(embedded),
    ):
        pass
    assert str(refused.value).endswith("is starting or stopping; try again")


def test_a_redis_that_cannot_start_is_told_with_its_log(embedded: Settings) -> None:
    server = RedisServer(embedded.data_dir, embedded.data_dir / "nowhere" / "redis.sock", "always")
    held = lock_data_dir(embedded.data_dir)
    with held as lock, pytest.raises(RedisEnded) as failure, start_store(server, lock):
        pass
    assert str(failure.value) == f"the embedded Redis ended (exit status 1); see {server.log}"
    assert server.log.exists()
