"""Server-Sent Events: how they are written, and the answer that sends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import islice
from typing import Any, Final, Protocol, cast, runtime_checkable

from flask import Response, request

from engine.phrase import phrase
from service.api.context import get_web
from service.api.errors import BadParameter, MalformedHeader
from service.api.subscriptions import Subscription
from service.languages.catalogue import SOURCE
from service.languages.texts import get_language, set_language

KEEP_ALIVE: Final = 15.0
"""Seconds without an event after which a comment is sent."""
KEEP_ALIVE_COMMENT: Final = ": keep-alive\n\n"
RECONNECT: Final = "retry: 1000\nevent: reconnect\ndata: {}\n\n"
"""The last message of a stream that ends with its process: another process will answer.

A client that does not know it, such as a browser without a script, reconnects a second later.
"""


@runtime_checkable
class Watched(Protocol):
    """A connection that reports when its client has left (`service.operations.socket_deadline`)."""

    def call_when_gone(self, call: Callable[[], None]) -> None:
        """Call once the client closes the connection."""

    def send_at_once(self, data: bytes) -> int:
        """Send what the system accepts without waiting; returns how many bytes. Raises OSError."""

    def sendall(self, data: bytes) -> None:
        """Send all of the data, and wait for that; raises OSError."""


class MessageCoder(Protocol):
    """Codes the messages of one stream, one after the other."""

    def encode(self, message: bytes) -> bytes:
        """The next message, coded so that it can be read at once."""

    def finish(self) -> bytes:
        """The bytes after the last message."""


class DirectLine:
    """Sends messages directly on a connection, coded and framed as the server in between would.

    The connection is non-blocking. If a message does not fit into the system's buffer, `flush`
    sends the rest before anything else.
    """

    def __init__(self, connection: Watched, coder: MessageCoder | None, chunked: bool) -> None:
        self._connection = connection
        self._coder = coder
        self._chunked = chunked
        self._rest = b""

    def send(self, message: bytes) -> bool:
        """Send a message at once, and return whether all of it could be sent; raises OSError."""
        data = message if self._coder is None else self._coder.encode(message)
        if self._chunked:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        sent = self._connection.send_at_once(data)
        if sent == len(data):
            return True
        self._rest = data[sent:]
        return False

    def flush(self) -> None:
        """Wait until the rest of such a message is sent; raises OSError."""
        if self._rest:
            rest, self._rest = self._rest, b""
            self._connection.sendall(rest)


class MessageStream:
    """The body of a stream: its messages as they are sent, coded by `coder` if there is one.

    Messages are made when the request is over, but still in its language. Once the first message is
    sent, those who pass news to the subscription may also send messages on `connection`.
    """

    def __init__(
        self, messages: Iterator[str] | Iterator[str | bytes], subscription: Subscription[Any]
    ) -> None:
        self.coder: MessageCoder | None = None
        self._messages = cast("Generator[str | bytes, None, None]", messages)
        self._first = list(islice(messages, 1))
        self._subscription = subscription
        self._language = get_language()
        connection = request.environ.get("gunicorn.socket")
        self._connection = connection if isinstance(connection, Watched) else None
        self._chunked = request.environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if self._connection is not None:
            self._connection.call_when_gone(subscription.drop)

    def __iter__(self) -> Iterator[bytes]:
        set_language(self._language)
        try:
            for message in self._first:
                yield self._code(message)
            if self._connection is not None:
                line = DirectLine(self._connection, self.coder, self._chunked)
                self._subscription.line = line
            for message in self._messages:
                yield self._code(message)
            if self._subscription.leaving:
                yield self._code(RECONNECT)
            if self.coder is not None:
                yield self.coder.finish()
        finally:
            self.close()
            set_language(SOURCE)

    def close(self) -> None:
        """Make no more messages."""
        self._subscription.line = self._subscription.ahead = None
        self._messages.close()

    def _code(self, message: str | bytes) -> bytes:
        data = message.encode() if isinstance(message, str) else message
        return data if self.coder is None else self.coder.encode(data)


def write_event(event: str | None, data: object, id: str | None = None) -> str:
    """An event as text; without a name, browsers call it a message."""
    head = f"id: {id}\n" if id is not None else ""
    head += f"event: {event}\n" if event is not None else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n"


def stream_events(
    messages: Iterator[str] | Iterator[str | bytes], subscription: Subscription[Any]
) -> Response:
    """An answer that sends messages until the client leaves, and then ends the subscription.

    It ends too if no message is ever sent (HEAD, a client that left at once). A web process that
    watches its connections notices at once that a client has left; others notice at the next
    message. The first message is made here, so that an unreadable log is answered as for any other
    request; raises what making that message raises.
    """
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    try:
        body = MessageStream(messages, subscription)
    except BaseException:
        get_web().hub.unsubscribe(subscription)
        raise
    response = Response(body, mimetype="text/event-stream", headers=headers)
    response.call_on_close(partial(get_web().hub.unsubscribe, subscription))
    return response


def find_start(after: int, version: int) -> int:
    """The version that a client has seen: `Last-Event-ID`, else `after`; at most `version`.

    Raises MalformedHeader or BadParameter for a later version, whose events would never come.
    """
    header = request.headers.get("Last-Event-ID")
    if header is None:
        if after > version:
            raise BadParameter(
                "after", phrase("a whole number from 0 to {version}", version=version)
            )
        return after
    if not (header.isascii() and header.isdigit() and len(header) < 10 and int(header) <= version):
        raise MalformedHeader("Last-Event-ID", "the id of an event of this stream")
    return int(header)
