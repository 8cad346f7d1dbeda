"""The contract is checked on the Redis that the service's tests use."""

from tests.service.conftest import redis_process, redis_server

__all__ = ["redis_process", "redis_server"]
