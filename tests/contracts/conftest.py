"""Gives the contract tests the same Redis as the service's tests."""

from tests.service.conftest import redis_process, redis_server

__all__ = ["redis_process", "redis_server"]
