"""Warnings about an operator's own Redis whose settings could lose the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
import redis

from service.cli import main
from service.operations.serving import warn_of_unsafe_settings
from service.operations.store_settings import find_unsafe_settings
from service.settings import Settings
from tests.service.redis_server import RedisServer

SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}


@pytest.fixture
def store(redis_server: RedisServer) -> Iterator[redis.Redis]:
    """The tests' Redis, whose settings are restored at the end."""
    with redis_server.client() as client:
        before = {name: client.config_get(name)[name] for name in SAFE}
        yield client
        configure(client, before)


def configure(client: redis.Redis, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        client.config_set(name, value)


def test_a_store_that_keeps_everything_is_not_warned_of(
    store: redis.Redis, settings: Settings
) -> None:
    warnings: list[str] = []
    configure(store, SAFE)
    warn_of_unsafe_settings(settings, warnings.append)
    configure(store, {"appendfsync": "everysec"})
    warn_of_unsafe_settings(settings, warnings.append)
    assert warnings == []


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        ("appendonly", "no", "(appendonly no); it must run with appendonly yes"),
        ("appendfsync", "no", "(appendfsync no); it must run with appendfsync always"),
        (
            "maxmemory-policy",
            "allkeys-lru",
            "(maxmemory-policy allkeys-lru); it must run with maxmemory-policy noeviction",
        ),
    ],
)
def test_each_setting_that_loses_games_is_named(
    name: str, value: str, warning: str, store: redis.Redis, settings: Settings
) -> None:
    configure(store, SAFE | {name: value})
    lines: list[str] = []
    warn_of_unsafe_settings(settings, lines.append)
    assert lines == [f"warning: the Redis of MOVELOG_REDIS_URL may lose games {warning}"]


@pytest.mark.parametrize("command", [["web"], ["worker", "--only", "scoring"]], ids=" ".join)
def test_the_start_of_a_part_warns_in_one_line(
    command: list[str],
    store: redis.Redis,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure(store, SAFE | {"appendonly": "no", "maxmemory-policy": "volatile-ttl"})
    monkeypatch.setenv("MOVELOG_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(settings.data_dir))
    monkeypatch.setattr("os.execve", lambda path, arguments, environment: None)
    assert main(command) == 0
    assert capsys.readouterr().err == (
        "movelog: warning: the Redis of MOVELOG_REDIS_URL may lose games (appendonly no,"
        " maxmemory-policy volatile-ttl); it must run with appendonly yes, maxmemory-policy"
        " noeviction\n"
    )


def test_a_server_that_refuses_to_tell_is_not_warned_of(
    store: redis.Redis, redis_server: RedisServer
) -> None:
    configure(store, {"appendonly": "no"})
    store.acl_setuser(
        "tester",
        enabled=True,
        nopass=True,
        keys=["*"],
        categories=["+@all"],
        commands=["-config"],
    )
    try:
        path = str(redis_server.folder / "redis.sock")
        with redis.Redis(unix_socket_path=path, username="tester", password="x") as client:
            assert find_unsafe_settings(client) == {}
    finally:
        store.acl_deluser("tester")
    assert find_unsafe_settings(store) == {"appendonly": "no"}
