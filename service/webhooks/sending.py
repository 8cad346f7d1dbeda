"""One request to an untrusted receiver.

The name is looked up once and the connection goes to an address that was checked, so that no second
answer of a name server can lead to an internal address. Redirects are not followed, little is read,
and the whole request has to finish within TIMEOUT seconds, whether the name server or the receiver
is slow.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import cache
from threading import Timer
from typing import Final
from urllib.parse import SplitResult, urlsplit

from engine.phrase import phrase
from service.errors import BadValue
from service.webhooks.addresses import find_special_block, is_public
from service.webhooks.dns_lookups import Lookups
from service.webhooks.errors import CannotDeliver

LOOKUPS: Final = Lookups()
TIMEOUT: Final = 8.0
"""Seconds for the whole request; less than a job's lease."""
LONGEST_URL: Final = 2000
NUMBERS: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*", re.IGNORECASE)
"""Hosts that resolvers take for an IPv4 address and not for a name: all parts are numbers."""
LOCAL: Final = frozenset({"localhost", "localdomain", "local", "internal"})
"""Last parts of names that lead nowhere but to the machine itself or its own network.

RFC 6761 (`localhost`), RFC 6762 (`local`), ICANN's reservation of `internal`, and the traditional
entries of hosts files.
"""
PORTS: Final = {"http": 80, "https": 443}


def check_url(url: str, *, private: bool) -> None:
    """Raise BadValue for a URL that cannot be a receiver.

    Unless `private`, only `https` and public addresses are allowed; names are looked up again for
    every delivery.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadValue("url", str(error)) from error
    if parts.scheme not in (("http", "https") if private else ("https",)):
        raise BadValue("url", "begins with https://")
    if not parts.hostname or parts.username is not None or parts.fragment or port == 0:
        raise BadValue("url", "needs a host, and can have neither user nor fragment")
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise BadValue(
            "url",
            phrase(
                "at most {longest_url} printable ASCII characters without blanks",
                longest_url=LONGEST_URL,
            ),
        )
    if not private:
        _check_literal(parts.hostname)


def _check_literal(host: str) -> None:
    """Raise BadValue for an IP address that is not public, in any notation, and for a local name.

    Other names pass: they are looked up when a request is sent.
    """
    name = host.rstrip(".").lower()
    try:
        block = find_special_block(normalise_host(name))
    except ValueError:
        if "." not in name or name.rpartition(".")[2] in LOCAL:
            raise BadValue(
                "url",
                phrase("{host} is a name of the machine itself or of its own network", host=host),
            ) from None
        return
    if block is not None:
        raise BadValue("url", phrase("not a public address: {block}", block=block))


def normalise_host(host: str) -> str:
    """A host as dotted decimal if it is an IPv4 address in another notation.

    Resolvers take one to four numbers in decimal, octal or hexadecimal, the last of which fills the
    remaining bytes.

    >>> [normalise_host(host) for host in ("127.1", "0x7f000001", "club.example")]
    ['127.0.0.1', '127.0.0.1', 'club.example']
    """
    if not NUMBERS.fullmatch(host):
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        raise BadValue(
            "url", phrase("{host} is neither a name nor an IP address", host=host)
        ) from None


def make_absolute(host: str) -> str:
    """A host as a resolver looks it up, without trying it within the machine's own domains.

    >>> [make_absolute(host) for host in ("club.example", "club.example.", "8.8.8.8", "::1")]
    ['club.example.', 'club.example.', '8.8.8.8', '::1']
    """
    if ":" in host or NUMBERS.fullmatch(host):
        return host
    return f"{host.rstrip('.')}."


def normalise_receiver(url: str) -> str:
    """Return a URL's scheme, host and port in one normal form.

    >>> normalise_receiver("https://Club.example./hook?game=1")
    'https://club.example:443'
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    written = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{written}:{parts.port or PORTS[parts.scheme]}"


def resolve_addresses(
    host: str, port: int, *, private: bool, seconds: float = TIMEOUT
) -> list[str]:
    """The addresses of a host; raises CannotDeliver if one of them is not public.

    It also raises CannotDeliver, with the same text, if there are none, so that nobody learns which
    names there are in the machine's own network, and if the name server does not answer within
    `seconds`. If `private`, all addresses are allowed, and names of that network too.
    """
    unreachable = phrase("{host} cannot be looked up, or its address is not public", host=host)
    try:
        found = LOOKUPS.ask(host if private else make_absolute(host), port, seconds)
    except TimeoutError as error:
        raise CannotDeliver(f"looking up {host} took longer than {TIMEOUT:g} s") from error
    except (OSError, UnicodeError) as error:
        raise CannotDeliver(unreachable) from error
    if not private and not all(map(is_public, found)):
        raise CannotDeliver(unreachable)
    return found


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> int:
    """Post a body; returns the status of the answer. Raises CannotDeliver."""
    deadline = time.monotonic() + TIMEOUT
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    reachable = resolve_addresses(host, port, private=private, seconds=TIMEOUT)
    try:
        left = max(0.001, deadline - time.monotonic())
        with ExitStack() as live:
            plain = live.enter_context(socket.create_connection((reachable[0], port), left))
            open_ones = [plain]
            # A receiver that answers byte by byte never reaches a timeout of its own.
            watch = Timer(max(0.0, deadline - time.monotonic()), _hang_up, [open_ones])
            watch.daemon = True
            live.callback(watch.cancel)
            watch.start()
            if parts.scheme == "https":
                secure = _tls().wrap_socket(
                    plain, server_hostname=host, do_handshake_on_connect=False
                )
                open_ones.append(live.enter_context(secure))
                secure.do_handshake()
            status = _ask(open_ones[-1], parts, body, headers)
            if time.monotonic() >= deadline:
                # An answer that was cut off looks like one that has ended.
                raise TimeoutError
            return status
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
            raise CannotDeliver(f"no answer within {TIMEOUT:g} s") from error
        if isinstance(error, ssl.SSLError):
            raise CannotDeliver(f"TLS: {error.reason or error}") from error
        raise CannotDeliver(f"{type(error).__name__}: {error}"[:200]) from error


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS context with the trusted authorities; reading them is slow, so once."""
    return ssl.create_default_context()


def _ask(
    connected: socket.socket, parts: SplitResult, body: bytes, headers: Mapping[str, str]
) -> int:
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    connection.sock = connected
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    connection.request("POST", target, body, {"Host": parts.netloc, **headers})
    return connection.getresponse().status


def _hang_up(connections: list[socket.socket]) -> None:
    with suppress(OSError):
        connections[-1].shutdown(socket.SHUT_RDWR)
