"""Counting the connections of each address."""

from __future__ import annotations

from contextlib import ExitStack
from ipaddress import ip_network
from typing import Any

import pytest

from service.api.errors import TooManyConnections
from service.operations.connections_per_address import Connections


def held(connections: Connections, *peers: Any) -> int:
    """How many of these connections are accepted, one after the other, before one is refused."""
    with ExitStack() as stack:
        for number, peer in enumerate(peers):
            try:
                stack.enter_context(connections.hold(peer))
            except TooManyConnections as error:
                assert error.limit == connections.most
                return number
        return len(peers)


def test_an_address_has_only_so_many_and_others_have_theirs() -> None:
    connections = Connections(3, ())
    greedy = [("1.2.3.4", port) for port in range(10)]
    assert held(connections, *greedy) == 3
    # The earlier connections are closed, and no longer count.
    assert held(connections, *greedy[:3], ("1.2.3.5", 1), ("1.2.3.5", 2)) == 5


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("1.2.3.4", "::ffff:1.2.3.4", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_a_network_of_ipv6_is_one_address(one: str, other: str, *, same: bool) -> None:
    connections = Connections(1, ())
    assert held(connections, (one, 1, 0, 0), (other, 2, 0, 0)) == (1 if same else 2)


@pytest.mark.parametrize("peer", [("10.1.2.3", 1), ("::ffff:10.1.2.3", 1, 0, 0), "", b"", None])
def test_trusted_proxies_and_unix_sockets_are_not_counted(peer: Any) -> None:
    connections = Connections(1, [ip_network("10.0.0.0/8")])
    assert held(connections, *[peer] * 50) == 50
