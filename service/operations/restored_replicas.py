"""What a backup is restored into, and its replicas: what is not on them, a failover loses."""

from __future__ import annotations

import time
from typing import Final

import redis

from service.composition.log_store import name_servers
from service.log.confirmed_feed import WRITE
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient, run_once
from service.log.redis_forms import name_confirmed
from service.log.replication import TooFewReplicas
from service.operations.errors import ReplicasMissing
from service.operations.store_settings import count_replicas

PATIENCE: Final = 120.0
"""Seconds in which replicas have to have all that was restored."""


def refuse_few_replicas(log: LogClient, store: redis.Redis, replicas: int) -> None:
    """Raise ReplicasMissing where a server that keeps the log has fewer than so many replicas."""
    for name, server in name_servers(log, store).items():
        if (found := count_replicas(server)) < replicas:
            raise ReplicasMissing(name, int(found), replicas)


def wait_until_replicated(log: RedisEventLog, replicas: int) -> None:
    """Wait until so many replicas have all that was written before.

    Raises TooFewReplicas after PATIENCE, and what else the store answers.
    """
    if not replicas:
        return
    calls = [(1, name_confirmed(partition)) for partition in range(log.partitions)]
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            run_once(log.client, WRITE, calls, replicas)
            return
        except TooFewReplicas:
            if time.monotonic() >= deadline:
                raise
