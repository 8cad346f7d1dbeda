"""Takes a request's client address, scheme and host from the headers of a trusted proxy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

WITH_PORT: Final = re.compile(r"(?:\[([^]]*)\]|([0-9.]+))(?::[0-9]{1,5})?")


class TrustedProxies:
    """WSGI middleware that believes `X-Forwarded-For`, `-Proto`, `-Host` and `-Port`.

    It does so only if the connection comes from one of `networks`; from anywhere else these headers
    are ignored. The proxy has to set all four itself, or pass them on only from proxies that are
    also trusted.
    """

    def __init__(self, app: WSGIApplication, networks: Sequence[Network]) -> None:
        self.app = app
        self.networks = networks

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request as if there were no proxy."""
        if self._is_trusted(environ.get("REMOTE_ADDR", "")):
            self._correct(environ)
        return self.app(environ, start_response)

    def _correct(self, environ: WSGIEnvironment) -> None:
        environ["REMOTE_ADDR"] = self._find_client(environ)
        scheme = read_nearest(environ, "HTTP_X_FORWARDED_PROTO").lower()
        if scheme in ("http", "https"):
            environ["wsgi.url_scheme"] = scheme
        host = read_nearest(environ, "HTTP_X_FORWARDED_HOST") or environ.get("HTTP_HOST", "")
        port = read_nearest(environ, "HTTP_X_FORWARDED_PORT")
        if host and port.isascii() and port.isdigit() and not has_port(host):
            host = f"{host}:{port}"
        if host:
            environ["HTTP_HOST"] = host

    def _find_client(self, environ: WSGIEnvironment) -> str:
        """The last address on the way here that no trusted proxy has, as a proxy reported it."""
        found = str(environ["REMOTE_ADDR"])
        for told in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            told = strip_port(told.strip())
            if parse_address(told) is None:
                break
            found = told
            if not self._is_trusted(told):
                break
        return found

    def _is_trusted(self, text: str) -> bool:
        address = parse_address(text)
        return address is not None and any(address in network for network in self.networks)


def parse_address(text: str) -> Address | None:
    """Parse an IP address, also an IPv4 one written as IPv6; None for any other text."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def write_network(address: Address) -> str:
    """Return the address that limits count: for IPv6, its network.

    Any host may choose the other half at will.

    >>> [write_network(ip_address(text)) for text in ("1.2.3.4", "2001:db8:1:2:3::4")]
    ['1.2.3.4', '2001:db8:1:2::/64']
    """
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), 64), strict=False))


def strip_port(told: str) -> str:
    """The address in an entry of X-Forwarded-For, to which some proxies add the client's port.

    >>> [strip_port(told) for told in ("1.2.3.4:567", "[::1]:567", "[::1]", "::1", "1.2.3.4:x")]
    ['1.2.3.4', '::1', '::1', '::1', '1.2.3.4:x']
    """
    found = WITH_PORT.fullmatch(told)
    return (found[1] or found[2]) if found else told


def read_nearest(environ: WSGIEnvironment, name: str) -> str:
    """Read the value that the nearest proxy has set: the last of a list."""
    return str(environ.get(name, "")).rpartition(",")[2].strip()


def has_port(host: str) -> bool:
    """Whether a Host names a port.

    >>> [has_port(host) for host in ("club.example", "club.example:81", "[::1]", "[::1]:81")]
    [False, True, False, True]
    """
    return ":" in host.rpartition("]")[2]
