"""Writes that only save work are dropped when the store is full."""

from __future__ import annotations

from contextlib import suppress

import pytest
import redis

from service.storage.cache_writes import cache_writes
from tests.service.redis_server import RedisServer


def test_a_full_store_refuses_and_no_error_is_raised(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        client.config_set("maxmemory", 1)
        try:
            with cache_writes(client) as pipeline:
                pipeline.set("a", "b")
            assert client.get("a") is None
        finally:
            client.config_set("maxmemory", 0)
        with cache_writes(client) as pipeline:
            pipeline.set("a", "b")
        assert client.get("a") == b"b"


def test_nothing_is_written_where_collecting_fails(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        with suppress(ZeroDivisionError), cache_writes(client) as pipeline:
            pipeline.set("a", "b")
            pipeline.set("b", 1 // 0)
        assert client.get("a") is None


@pytest.mark.slow
def test_a_store_that_is_gone_is_an_error(redis_server: RedisServer) -> None:
    nowhere = redis.Redis(unix_socket_path=str(redis_server.folder / "nowhere.sock"))
    with pytest.raises(redis.ConnectionError), cache_writes(nowhere) as pipeline:
        pipeline.set("a", "b")
