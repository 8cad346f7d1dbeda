"""URLs that name several servers: the nodes of a Redis Cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

CLUSTER_SCHEMES: Final = {"redis-cluster": "redis", "rediss-cluster": "rediss"}
"""The schemes of a Redis Cluster, and those of one of its nodes."""

REDIS_PORT: Final = 6379


@dataclass(frozen=True, slots=True)
class ServerList:
    """A URL with several hosts, taken apart: `user` is what stands before them, with its `@`."""

    scheme: str
    user: str
    hosts: Sequence[tuple[str, int]]
    path: str
    query: str

    @property
    def first(self) -> str:
        """The URL of the first of them, as a cluster's node."""
        host, port = self.hosts[0]
        address = f"[{host}]" if ":" in host else host
        options = f"?{self.query}" if self.query else ""
        return f"{CLUSTER_SCHEMES[self.scheme]}://{self.user}{address}:{port}{options}"


def split_servers(url: str, port: int) -> ServerList:
    """Take a URL such as `redis-cluster://user:password@host:6379,host?option=value` apart.

    `port` is that of hosts without one. Raises ValueError for none.
    """
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    found = []
    for text in hosts.split(","):
        one = urlsplit(f"//{text}")
        if not one.hostname or one.port == 0 or one.username is not None:
            raise ValueError(text)
        found.append((one.hostname, one.port or port))
    return ServerList(parts.scheme, user + at, found, parts.path.strip("/"), parts.query)
