"""How a plain request is answered: the environment for the application, and the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from time import time
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from gunicorn.config import Config
from gunicorn.http.wsgi import FileWrapper, Response, base_environ
from gunicorn.util import hop_headers, http_date

from service.operations.plain_request import PlainRequest

LINES: Final = re.compile(r"(?:[A-Za-z0-9-]+: ?[ \t\x21-\x7e\x80-\xff]*\r\n)*")
BARE: Final = frozenset({"CONTENT-TYPE", "CONTENT-LENGTH"})
"""Fields whose variables have no prefix."""


def remember_settings(settings: Config) -> None:
    """Read all of gunicorn's settings at once, which it otherwise converts at each use.

    This is for a worker, in which they no longer change.
    """
    vars(settings).update({name: one.get() for name, one in settings.settings.items()})


def make_base(settings: Config) -> dict[str, Any]:
    """The WSGI variables that all requests to a worker have in common."""
    return {**base_environ(settings), "wsgi.multithread": True, "wsgi.url_scheme": "http"}


def make_environ(
    base: dict[str, Any], request: PlainRequest, connection: Any, client: Any, server: Any
) -> dict[str, Any]:
    """The WSGI environment for a plain request (PEP 3333), as gunicorn would make it."""
    assert request.fields is not None
    path = request.path
    environ = base | {
        "wsgi.input": request.body,
        "gunicorn.socket": connection,
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query,
        "RAW_URI": request.uri,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1") if "%" in path else path,
        "SCRIPT_NAME": "",
    }
    for name, value in request.fields.items():
        environ[name_variable(name)] = value
    return environ


@lru_cache(maxsize=256)
def name_variable(field: str) -> str:
    """The WSGI variable for a field, whose name is in capitals."""
    own = field.replace("-", "_")
    return own if field in BARE else f"HTTP_{own}"


@lru_cache(maxsize=1)
def write_date(second: int) -> str:
    """A time in whole seconds since 1970 UTC, as HTTP writes it."""
    return str(http_date(second))


class PlainAnswer(Response):  # type: ignore[misc]
    """Gunicorn's response, whose head is checked and written as a whole."""

    headers_sent: bool

    def process_headers(self, headers: Sequence[tuple[str, str]]) -> None:
        """Take the headers; raises what gunicorn raises for one that no head can have."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
        names = [name.lower() for name, _ in headers]
        # A value with a line break in it would be two lines.
        whole = lines.count("\r\n") == len(headers) and LINES.fullmatch(lines) is not None
        if not whole or not hop_headers.isdisjoint(names):
            super().process_headers(headers)
            return
        self.headers = list(headers)
        if "content-length" in names:
            self.response_length = int(headers[names.index("content-length")][1])

    def send_headers(self) -> None:
        """Send the head, unless it has been sent."""
        if self.headers_sent:
            return
        closes = "close" if self.should_close() else "keep-alive"
        connection = "upgrade" if self.upgrade else closes
        head = [
            f"HTTP/1.1 {self.status}\r\nServer: {self.version}\r\n"
            f"Date: {write_date(int(time()))}\r\nConnection: {connection}\r\n"
        ]
        if self.chunked:
            head.append("Transfer-Encoding: chunked\r\n")
        head += [f"{name}: {value}\r\n" for name, value in self.headers]
        head.append("\r\n")
        self.sock.sendall("".join(head).encode("latin-1"))
        self.headers_sent = True


def send_answer(
    application: Callable[[dict[str, Any], Any], Iterable[bytes]],
    environ: dict[str, Any],
    answer: PlainAnswer,
) -> None:
    """Send what the application answers."""
    parts = application(environ, answer.start_response)
    try:
        if isinstance(parts, FileWrapper):
            answer.write_file(parts)
        else:
            for part in parts:
                answer.write(part)
        answer.close()
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()
