"""Accounts on a real Redis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.accounts.support import Parts
from tests.service.redis_server import RedisServer


@pytest.fixture
def parts(redis_server: RedisServer) -> Iterator[Parts]:
    with redis_server.client() as client:
        yield Parts(client)
