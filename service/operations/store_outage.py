"""Which of the operator's Redis servers cannot be used, and which setting names it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import redis
from redis.exceptions import RedisClusterException

from service.environment import FILE, PREFIX, Variables
from service.log.cluster import open_cluster
from service.storage.connections import open_store
from service.store_urls import CLUSTER_SCHEMES, has_sentinels

LOG: Final = "LOG_URL"
NAMES: Final = ("REDIS_URL", LOG, "QUEUE_URL")
"""The settings that name a Redis, without PREFIX, in the order in which they are tried."""
OUTAGES: Final = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.InvalidResponse,
    RedisClusterException,
)
"""The errors of a Redis that cannot be used; what it answers to a command is none."""
PATIENCE: Final = 3.0
"""Seconds to wait for an answer."""


def explain_outage(environ: Mapping[str, str] = os.environ) -> str | None:
    """Say which of the settings' Redis servers cannot be used, why, and what to do.

    Return None if each of them answers, or the settings name none. Raises BadSetting.
    """
    given = Variables(environ)
    for name in NAMES:
        url = given.log_url(name) if name == LOG else given.redis_url(name)
        if url is not None and (reason := find_outage(url)) is not None:
            setting = name_setting(name, environ)
            return (
                f"the Redis at {hide_secrets(url)} cannot be used ({reason}); {setting} names it:"
                " start it, or correct the setting, and try again"
            )
    return None


def name_setting(name: str, environ: Mapping[str, str]) -> str:
    """The variable that gives a setting, with the file that has its value, if there is one."""
    path = environ.get(PREFIX + name + FILE)
    return f"{PREFIX}{name}{FILE} ({path})" if path else f"{PREFIX}{name}"


def hide_secrets(url: str) -> str:
    """A URL without its user, password and options, which may be secret.

    >>> hide_secrets("rediss://user:word@host:6380/1?password=word")
    'rediss://host:6380/1'
    """
    scheme, _, rest = url.partition("?")[0].partition("://")
    hosts, slash, path = rest.partition("/")
    return f"{scheme}://{hosts.rpartition('@')[2]}{slash}{path}"


def find_outage(url: str) -> str | None:
    """Why the Redis at a URL cannot be used; None if it answers."""
    try:
        with _open(url) as client:
            client.ping()
    except OUTAGES as error:
        return _find_reason(error)
    except redis.RedisError:
        # It answers, whatever it says.
        pass
    return None


def _open(url: str) -> redis.Redis | redis.RedisCluster:
    if urlsplit(url).scheme in CLUSTER_SCHEMES:
        return open_cluster(url, 1, PATIENCE)
    if has_sentinels(url):
        return open_store(url)
    return redis.Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


def _find_reason(error: Exception) -> str:
    """What the system said, without the address, which redis-py repeats; else what redis-py did."""
    cause = error.__context__
    return cause.strerror if isinstance(cause, OSError) and cause.strerror else str(error)
