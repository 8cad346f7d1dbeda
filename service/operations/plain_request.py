"""Reads requests of the form that almost every client sends at once, and leaves others to gunicorn.

Gunicorn's parser reads a head in many steps, since heads may come in parts, over proxies, and from
malicious clients. A head that has arrived whole and that one expression describes needs none of
this. What the expression does not describe is left to gunicorn, which alone decides what is wrong.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any, Final

from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser

HEAD: Final = re.compile(
    rb"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) "
    rb"(/(?!/)[!\"$->@-~]*)(?:\?([!\"$-~]*))? HTTP/1\.1\r\n"
    rb"((?:[A-Za-z0-9-]+:[\t -~\x80-\xff]*\r\n)+)\r\n"
)
"""Method, path, query and fields. A field's name has nothing that a WSGI variable could confuse
with another name; a target has no fragment, and cannot be taken for a host."""
LEFT: Final = frozenset({"TRANSFER-ENCODING", "EXPECT", "UPGRADE", "TRAILER", "HTTP2-SETTINGS"})
"""Fields for which gunicorn has special rules."""
SIZE: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


class PlainRequest(Request):  # type: ignore[misc]
    """A request whose `fields` by WSGI's names are known at once if it is plain, else None.

    `should_close` is called more than once for a request, and uses the fields.
    """

    fields: dict[str, str] | None = None

    def parse(self, unreader: Any) -> bytes:
        """Read the head; returns what has arrived after it."""
        if self.cfg.proxy_protocol != "off":
            return bytes(super().parse(unreader))
        data: bytes = unreader.read()
        if not data:
            raise StopIteration
        # No line is longer than the head, so this also enforces the limits on lines.
        found = HEAD.match(data, 0, min(self.limit_request_line, self.limit_request_field_size))
        if found is not None and self._take(found):
            return data[found.end() :]
        unreader.unread(data)
        return bytes(super().parse(unreader))

    def _take(self, head: re.Match[bytes]) -> bool:
        """Store what a head says, unless it says something for which there are further rules."""
        lines = head[4].decode("latin-1").split("\r\n")[:-1]
        headers, fields = [], {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.upper(), value.strip(" \t")
            headers.append((name, value))
            fields[name] = value
        repeats = len(fields) < len(lines) or len(lines) > self.limit_request_fields
        if repeats or not LEFT.isdisjoint(fields):
            return False
        if SIZE.fullmatch(fields.get("CONTENT-LENGTH", "0")) is None:
            return False
        method, path, query = head[1], head[2].decode(), head[3]
        self.method, self.version, self.headers, self.fields = (
            method.decode(),
            (1, 1),
            headers,
            fields,
        )
        self.path, self.query, self.fragment = path, query.decode() if query else "", ""
        self.uri = path if query is None else f"{path}?{self.query}"
        return True

    def set_body_reader(self) -> None:
        """Set the reader of the body; most bodies are small, and have arrived with the head."""
        if self.fields is None:
            super().set_body_reader()
            return
        size = int(self.fields.get("CONTENT-LENGTH", 0))
        come = self.unreader.take_buffered()
        if len(come) < size:
            self.unreader.unread(come)
            super().set_body_reader()
            return
        self.body = BytesIO(come[:size])
        if len(come) > size:
            self.unreader.unread(come[size:])

    def should_close(self) -> bool:
        """Whether the connection ends with this request."""
        if self.fields is None or self.must_close:
            return bool(super().should_close())
        return "CONNECTION" in self.fields and bool(super().should_close())


class PlainParser(RequestParser):  # type: ignore[misc]
    """The requests of a connection, one after another."""

    mesg_class = PlainRequest
