"""Distinguishes public IP addresses, to which a player's webhook may be sent, from all others.

The table is this service's own copy of the registries, since what `ipaddress` calls global
depends on the version of Python. Sources:

- IANA IPv4 Special-Purpose Address Registry
- IANA IPv6 Special-Purpose Address Registry
- IANA IPv6 Address Space, which reserves everything outside 2000::/3
- IANA IPv4 Address Space, for multicast

Rows that the registries list as globally reachable are left out, unless they lie inside a larger
block that is not, such as the anycast addresses of 192.0.0.0/24 and 2001::/23: nobody receives
webhooks there, and clouds use 192.0.0.192 for the secrets of their machines. IPv6 addresses that
embed an IPv4 address are refused whatever they embed: the machine that translates them may lead
anywhere.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Block:
    """A block of addresses that is not public: what the registry calls it, and its RFCs."""

    network: ipaddress.IPv4Network | ipaddress.IPv6Network
    name: str
    source: str

    def __str__(self) -> str:
        return f"{self.network}, {self.name} ({self.source})"


def _block(network: str, name: str, source: str) -> Block:
    return Block(ipaddress.ip_network(network), name, source)


SPECIAL: Final = (
    _block("0.0.0.0/8", "this network", "RFC 791, 1122"),
    _block("10.0.0.0/8", "private use", "RFC 1918"),
    _block("100.64.0.0/10", "shared address space", "RFC 6598"),
    _block("127.0.0.0/8", "loopback", "RFC 1122"),
    _block("169.254.0.0/16", "link-local", "RFC 3927"),
    _block("172.16.0.0/12", "private use", "RFC 1918"),
    _block("192.0.0.0/24", "IETF protocol assignments", "RFC 6890, 7335, 7600, 8880"),
    _block("192.0.2.0/24", "documentation", "RFC 5737"),
    _block("192.88.99.0/24", "6to4 relay anycast, deprecated", "RFC 7526, 6751"),
    _block("192.168.0.0/16", "private use", "RFC 1918"),
    _block("198.18.0.0/15", "benchmarking", "RFC 2544"),
    _block("198.51.100.0/24", "documentation", "RFC 5737"),
    _block("203.0.113.0/24", "documentation", "RFC 5737"),
    _block("224.0.0.0/4", "multicast", "RFC 5771"),
    _block("240.0.0.0/4", "reserved, limited broadcast", "RFC 1112, 919, 8190"),
    _block("::/96", "unspecified, loopback, IPv4-compatible", "RFC 4291"),
    _block("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
    _block("::ffff:0:0:0/96", "IPv4-translated", "RFC 2765"),
    _block("64:ff9b::/96", "IPv4-IPv6 translation", "RFC 6052"),
    _block("64:ff9b:1::/48", "IPv4-IPv6 translation", "RFC 8215"),
    _block("100::/64", "discard only", "RFC 6666"),
    _block("100:0:0:1::/64", "dummy prefix", "RFC 9780"),
    _block("2001::/23", "IETF protocol assignments, Teredo, ORCHID", "RFC 2928, 4380, 7343"),
    _block("2001:db8::/32", "documentation", "RFC 3849"),
    _block("2002::/16", "6to4", "RFC 3056, 7526"),
    _block("3fff::/20", "documentation", "RFC 9637"),
    _block("5f00::/16", "segment routing identifiers", "RFC 9602"),
    _block("fc00::/7", "unique local", "RFC 4193, 8190"),
    _block("fe80::/10", "link-local", "RFC 4291"),
    _block("fec0::/10", "site-local, deprecated", "RFC 3879"),
    _block("ff00::/8", "multicast", "RFC 4291"),
)
RESERVED: Final = (
    _block("::/3", "reserved by the IETF", "RFC 4291"),
    _block("4000::/2", "reserved by the IETF", "RFC 4291"),
    _block("8000::/1", "reserved by the IETF", "RFC 4291"),
)
"""The rest outside IPv6's global unicast, 2000::/3: none of it is assigned to anybody."""


def find_special_block(address: str) -> Block | None:
    """The block that keeps an address from being public, or None; a zone (`%eth0`) is ignored.

    Raises ValueError for a text that is not an IP address.

    >>> str(find_special_block("fec0::1"))
    'fec0::/10, site-local, deprecated (RFC 3879)'
    >>> find_special_block("8.8.8.8")
    """
    found: IPAddress = ipaddress.ip_address(address.partition("%")[0])
    return next((block for block in (*SPECIAL, *RESERVED) if found in block.network), None)


def is_public(address: str) -> bool:
    """Whether an address is on the public internet; raises ValueError if it is not an address.

    >>> is_public("127.0.0.1"), is_public("::ffff:8.8.8.8"), is_public("2606:4700::1111")
    (False, False, True)
    """
    return find_special_block(address) is None
