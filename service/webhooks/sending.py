"""One request to a receiver whom nobody here trusts.

The name is looked up once and the connection goes to an address that was checked, so that no
second answer of a name server leads inside. Nothing is followed, little is read, and all of it has
to be over in TIMEOUT seconds.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from threading import Timer
from typing import Final
from urllib.parse import SplitResult, urlsplit

from service.errors import BadValue
from service.webhooks.addresses import is_public, special_block
from service.webhooks.errors import CannotDeliver

TIMEOUT: Final = 8.0
"""Seconds for the whole request; less than a job's lease."""
LONGEST_URL: Final = 2000
PORTS: Final = {"http": 80, "https": 443}


def check_url(url: str, *, private: bool) -> None:
    """Raise BadValue for what cannot be a receiver.

    Without `private` only `https` is allowed, and no address that is not public; names are looked
    up again whenever something is sent.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadValue("url", str(error)) from error
    if parts.scheme not in (("http", "https") if private else ("https",)):
        raise BadValue("url", "begins with https://")
    if not parts.hostname or parts.username is not None or parts.fragment or port == 0:
        raise BadValue("url", "a host, with neither user nor fragment")
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise BadValue("url", f"at most {LONGEST_URL} printable ASCII characters without blanks")
    if not private:
        _check_literal(parts.hostname)


def _check_literal(host: str) -> None:
    """Raise BadValue for an IP address that is not public; names pass."""
    try:
        block = special_block(host)
    except ValueError:
        return
    if block is not None:
        raise BadValue("url", f"not a public address: {block}")


def addresses(host: str, port: int, *, private: bool) -> list[str]:
    """The addresses of a host; raises CannotDeliver where one of them is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise CannotDeliver(f"{host} cannot be looked up") from error
    all_of_them = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not private and not all(map(is_public, all_of_them)):
        raise CannotDeliver(f"{host} is not a public address")
    return all_of_them


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> int:
    """Post a body; returns the status that was answered. Raises CannotDeliver."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    reachable = addresses(host, port, private=private)
    try:
        with ExitStack() as live:
            plain = live.enter_context(socket.create_connection((reachable[0], port), TIMEOUT))
            open_ones = [plain]
            # A receiver that answers byte by byte never runs into a timeout of its own.
            watch = Timer(TIMEOUT, _hang_up, [open_ones])
            live.callback(watch.cancel)
            watch.start()
            if parts.scheme == "https":
                context = ssl.create_default_context()
                secure = context.wrap_socket(
                    plain, server_hostname=host, do_handshake_on_connect=False
                )
                open_ones.append(live.enter_context(secure))
                secure.do_handshake()
            return _ask(open_ones[-1], parts, body, headers)
    except TimeoutError as error:
        raise CannotDeliver(f"no answer within {TIMEOUT:g} s") from error
    except ssl.SSLError as error:
        raise CannotDeliver(f"TLS: {error.reason or error}") from error
    except (OSError, http.client.HTTPException) as error:
        raise CannotDeliver(f"{type(error).__name__}: {error}"[:200]) from error


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
