"""Server-Sent Events: how they are written, and the answer that sends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
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


@runtime_checkable
class Watched(Protocol):
    """A connection that tells when its client has left (`service.operations.socket_deadline`)."""

    def call_when_gone(self, call: Callable[[], None]) -> None:
        """Call once the client closes the connection."""


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
        first = list(islice(messages, 1))
    except BaseException:
        get_web().hub.unsubscribe(subscription)
        raise
    # What is text is encoded as it is sent; bytes are sent as they are.
    sent = cast("Iterator[bytes]", chain_messages(first, messages, get_language()))
    response = Response(sent, mimetype="text/event-stream", headers=headers)
    response.call_on_close(partial(get_web().hub.unsubscribe, subscription))
    connection = request.environ.get("gunicorn.socket")
    if isinstance(connection, Watched):
        connection.call_when_gone(subscription.drop)
    return response


def chain_messages(
    first: Iterable[str | bytes], messages: Iterator[str] | Iterator[str | bytes], language: str
) -> Iterator[str | bytes]:
    """Yield the first messages, then the others, which are closed with this generator.

    They are written when the request is over, and in its language all the same.
    """
    set_language(language)
    try:
        yield from first
        yield from messages
    finally:
        set_language(SOURCE)


def find_start(after: int, version: int) -> int:
    """The version a client has seen: `Last-Event-ID`, else `after`; at most `version`.

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
