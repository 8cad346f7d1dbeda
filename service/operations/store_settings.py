"""Checks that a Redis that somebody else runs is configured to keep the log safely."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Any, Final

import redis

SAFE_SETTINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "appendonly": ("yes",),
        "appendfsync": ("always", "everysec"),
        "maxmemory-policy": ("noeviction",),
    }
)
"""For each setting, the values with which confirmed writes are kept, the best first."""


def find_unsafe_settings(client: redis.Redis) -> dict[str, str]:
    """The settings of a server that are not among SAFE_SETTINGS, with their values.

    What the server does not reveal, because it refuses CONFIG, counts as safe. Raises
    redis.ConnectionError.
    """
    found: dict[str, str] = {}
    for name, safe in SAFE_SETTINGS.items():
        try:
            told: Any = client.config_get(name)
        except redis.ResponseError:
            return {}
        if name in told and told[name] not in safe:
            found[name] = told[name]
    return found


def count_replicas(client: redis.Redis) -> float:
    """How many replicas a server has; enough if it is itself one or does not say."""
    try:
        role: Any = client.role()
    except redis.ResponseError:
        return inf
    return len(role[2]) if role[0] in (b"master", "master") else inf
