"""Limits the connections of one address to a web process, so that some are left for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from service.api.errors import TooManyConnections
from service.api.trusted_proxies import Network, parse_address, write_network


class Connections:
    """Counts the connections of each address (for IPv6, each /64); `most` is the limit.

    Those of `proxies` are not counted: they belong to clients whom only the requests name.
    """

    def __init__(self, most: int, proxies: Sequence[Network]) -> None:
        self.most = most
        self._proxies = proxies
        self._held: Counter[str] = Counter()

    @contextmanager
    def hold(self, peer: Any) -> Iterator[None]:
        """Count a connection while the context lasts; raises TooManyConnections.

        `peer` is the socket's; one that is not an IP address, such as a unix socket's, is not
        counted.
        """
        address = parse_address(peer[0]) if isinstance(peer, tuple) else None
        if address is None or any(address in network for network in self._proxies):
            yield
            return
        key = write_network(address)
        if self._held[key] >= self.most:
            raise TooManyConnections(self.most)
        self._held[key] += 1
        try:
            yield
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
