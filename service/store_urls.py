"""URLs that name several servers: the nodes of a Redis Cluster, or Sentinels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

CLUSTER_SCHEMES: Final = {"redis-cluster": "redis", "rediss-cluster": "rediss"}
"""The schemes of a Redis Cluster, and that of one of its nodes."""

SENTINEL_SCHEMES: Final = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
"""The schemes of a Redis whose master is named by Sentinels, and that of the server itself."""

REDIS_PORT: Final = 6379
SENTINEL_PORT: Final = 26379


@dataclass(frozen=True, slots=True)
class ServerList:
    """The parts of a URL with several hosts; `user` is what precedes the hosts, with its `@`."""

    scheme: str
    user: str
    hosts: Sequence[tuple[str, int]]
    path: str
    query: str

    @property
    def first(self) -> str:
        """The URL of the first host, as that of a single server."""
        host, port = self.hosts[0]
        address = f"[{host}]" if ":" in host else host
        options = f"?{self.query}" if self.query else ""
        scheme = (CLUSTER_SCHEMES | SENTINEL_SCHEMES)[self.scheme]
        database = f"/{self.database}" if self.database else ""
        return f"{scheme}://{self.user}{address}:{port}{database}{options}"

    @property
    def service(self) -> str:
        """The name of the master for the Sentinels: the first part of the path."""
        return unquote(self.path.partition("/")[0])

    @property
    def database(self) -> str:
        """The database number, which follows the service in the path, or an empty text."""
        return self.path.partition("/")[2]


def split_cluster(url: str) -> ServerList:
    """Take a URL such as `redis-cluster://user:password@host:6379,host?option=value` apart.

    Raises ValueError for a URL without a host, or with a database: a cluster has only database 0.
    """
    servers = _split_servers(url, REDIS_PORT)
    if servers.scheme not in CLUSTER_SCHEMES or servers.path not in ("", "0"):
        raise ValueError(servers.path)
    return servers


def has_sentinels(url: str) -> bool:
    """Whether a URL names Sentinels, by its scheme."""
    return url.partition("://")[0] in SENTINEL_SCHEMES


def split_sentinels(url: str) -> ServerList:
    """Take a URL such as `redis+sentinel://user:password@host:26379,host/service/0` apart.

    Raises ValueError for one without a host or a service, or with a database that is not a number.
    """
    servers = _split_servers(url, SENTINEL_PORT)
    if servers.scheme not in SENTINEL_SCHEMES or not servers.service:
        raise ValueError(servers.path)
    if servers.database and not (servers.database.isascii() and servers.database.isdigit()):
        raise ValueError(servers.database)
    return servers


def _split_servers(url: str, port: int) -> ServerList:
    """The parts of a URL; hosts without a port get `port`. Raises ValueError if it has no host."""
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    found = []
    for text in hosts.split(","):
        one = urlsplit(f"//{text}")
        if not one.hostname or one.port == 0 or one.username is not None:
            raise ValueError(text)
        found.append((one.hostname, one.port or port))
    return ServerList(parts.scheme, user + at, found, parts.path.strip("/"), parts.query)
