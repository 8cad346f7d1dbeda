"""What need not be kept is not kept by a store that is full."""

from __future__ import annotations

import pytest
import redis

from service.storage.cache import keep
from tests.service.redis_server import RedisServer


def test_a_full_store_refuses_and_nobody_minds(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        pipeline = client.pipeline(transaction=False)
        pipeline.set("a", "b")
        client.config_set("maxmemory", 1)
        try:
            keep(pipeline)
            assert client.get("a") is None
        finally:
            client.config_set("maxmemory", 0)
        pipeline.set("a", "b")
        keep(pipeline)
        assert client.get("a") == b"b"


def test_a_store_that_is_gone_is_an_error(redis_server: RedisServer) -> None:
    nowhere = redis.Redis(unix_socket_path=str(redis_server.folder / "nowhere.sock"))
    pipeline = nowhere.pipeline(transaction=False)
    pipeline.set("a", "b")
    with pytest.raises(redis.ConnectionError):
        keep(pipeline)
