"""The server that the workers' tests run on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from service.composition.service import Service
from tests.service.conftest import durable, redis_process, redis_server
from tests.service.redis_server import RedisServer
from tests.service.webhooks.receiver import Receiver, receiving
from tests.workers.held import Hold
from tests.workers.support import service_on

__all__ = ["durable", "redis_process", "redis_server"]


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    """The service's parts; webhooks may point to this machine."""
    service = service_on(redis_server)
    return replace(service, settings=replace(service.settings, private_webhooks=True))


@pytest.fixture
def hold(tmp_path: Path) -> Hold:
    """Says how far the jobs of worker processes may go."""
    return Hold(tmp_path / "hold")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver
