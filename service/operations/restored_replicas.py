"""The replicas of a restored store: a failover loses what is not on them."""

from __future__ import annotations

import time
from typing import Final

import redis

from service.composition.log_store import name_servers
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient, run_once
from service.log.redis_forms import name_confirmed
from service.log.replication import TooFewReplicas
from service.operations.backup_errors import ReplicasMissing
from service.operations.store_settings import count_replicas

WRITE: Final = "return redis.call('SET', KEYS[1], '')"
"""A write to wait for: WAIT counts the replicas that have its own connection's last write."""

PATIENCE: Final = 120.0
"""Seconds within which replicas must have everything that was restored."""


def refuse_few_replicas(log: LogClient, store: redis.Redis, replicas: int) -> None:
    """Raise ReplicasMissing if a server that keeps the log has fewer than `replicas` replicas."""
    for name, server in name_servers(log, store).items():
        if (found := count_replicas(server)) < replicas:
            raise ReplicasMissing(name, int(found), replicas)


def wait_until_replicated(log: RedisEventLog, replicas: int) -> None:
    """Wait until `replicas` replicas have everything that was written before.

    Raises TooFewReplicas after PATIENCE, and other errors of the store.
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
