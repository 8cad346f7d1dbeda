"""What an event stream waits for: the news that concerns its client, in a bounded queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

from service.game_feed.feed_events import FeedEvent
from service.game_feed.position import Position
from service.log.values import Pointer, Recorded

QUEUED: Final = 256
"""How many news a client may be behind before it is dropped; it resumes with Last-Event-ID."""


class Dropped(Exception):
    """The stream ends: its client was too slow or has left, or this process is about to end."""


N = TypeVar("N")


class Line(Protocol):
    """The connection on which a stream's messages are sent, past the layers of HTTP."""

    def send(self, message: bytes) -> bool:
        """Send a message at once, and return whether all of it could be sent; raises OSError."""

    def flush(self) -> None:
        """Wait until the rest of such a message is sent; raises OSError."""


@dataclass(frozen=True, slots=True)
class News:
    """A pointer, and its events for the followers of its stream, read once for all of them."""

    pointer: Pointer
    recorded: Sequence[Recorded]


@dataclass(slots=True)
class FeedNews:
    """The part of the feed of all games for one append, and the position before it.

    All followers of the feed share it, so that what most of them are sent is written once.
    """

    pointer: Pointer
    events: Sequence[FeedEvent]
    before: Position
    messages: Sequence[str] | None = None
    """The messages for those who have had everything before it, if they were written already."""


class Subscription(Generic[N]):
    """The news that concerns one client, in a bounded queue.

    `leaving` is whether the stream ends because the process does. While a stream that has a `line`
    waits, whoever passes it news also sends the message: one write for each client, with no other
    thread of control to wake. `ahead` writes the part of the message that other clients share, and
    keeps it for them; nothing counts as sent by it.
    """

    def __init__(self, topics: Sequence[str], address: str, looking_for: str | None = None) -> None:
        self.topics = topics
        self.address = address
        self.looking_for = looking_for
        self.leaving = False
        self.line: Line | None = None
        self.ahead: Callable[[N], object] | None = None
        self._queue: Queue[N | None] = Queue(QUEUED)
        self._dropped = False
        self._write: Callable[[N | None], bytes | None] | None = None
        self._timeout = 0.0
        self._sent_at = 0.0

    def write_ahead(self, news: N) -> None:
        """Have the message written that clients like this one will be sent about this news."""
        if self._write is not None and self.ahead is not None:
            # An error here occurs again when the news is pushed.
            with suppress(Exception):
                self.ahead(news)

    def push(self, news: N | None) -> None:
        """Hand news to the client; one that does not keep up is dropped. None keeps it alive."""
        if self._write is not None and self._send(news):
            return
        try:
            self._queue.put_nowait(news)
        except Full:
            self.drop()

    def break_silence(self, now: float) -> None:
        """Send what keeps the stream alive if nothing was sent for too long before `now`.

        The caller has to do so every few seconds; `now` is a time of the monotonic clock.
        """
        if self._write is not None and now - self._sent_at >= self._timeout:
            self.push(None)

    def _send(self, news: N | None) -> bool:
        """Send the message about news to a waiting client, and return whether that is done.

        Otherwise the stream itself is woken, and sends it; until it waits again, it gets all news.
        """
        assert self._write is not None
        assert self.line is not None
        try:
            message = self._write(news)
            if message == b"":
                return True
            if message is not None and self.line.send(message):
                self._sent_at = monotonic()
                return True
        except OSError:
            self.drop()
            return True
        except Exception:
            # Whatever the error is, the stream runs into it as well, and it concerns only the
            # stream.
            pass
        self._write = None
        return False

    def drop(self) -> None:
        """Let `wait_for_news` raise Dropped from now on, also if it is waiting."""
        self._dropped = True
        self._write = None
        with suppress(Full):
            self._queue.put_nowait(None)

    def leave(self) -> None:
        """End the stream as `drop` does; its client is told to connect to another process."""
        self.leaving = True
        self.drop()

    def wait_for_news(
        self, timeout: float, write: Callable[[N | None], bytes | None] | None = None
    ) -> N | None:
        """The next news, or None if nothing was sent in `timeout` seconds; raises Dropped.

        `write` makes the client's message about news, empty if it is none to them; for None it
        makes what keeps the stream alive. It must not wait. If it raises an error or returns None,
        the news is left to the stream: it is then returned.
        """
        direct = write is not None and self.line is not None
        if direct:
            self._write, self._timeout, self._sent_at = write, timeout, monotonic()
        news = None
        try:
            if not self._dropped:
                with suppress(Empty):
                    news = self._queue.get(timeout=None if direct else timeout)
        finally:
            # Also if the stream is ended from outside: nobody writes for it any more.
            self._write = None
        if self._dropped:
            raise Dropped
        if self.line is not None:
            self.line.flush()
        return news


class FellBehind(Exception):
    """The client was too slow, and goes on from the log."""


class FeedSubscription(Subscription[FeedNews]):
    """The news of many games for one client, who reads the log itself when it is behind.

    Nothing is collected before `collect`, nor after the client failed to keep up.
    """

    def __init__(self, topics: Sequence[str], address: str) -> None:
        super().__init__(topics, address)
        self._collecting = False

    def check(self) -> None:
        """Raise Dropped if the client has left."""
        if self._dropped:
            raise Dropped

    def collect(self) -> None:
        """Forget what was collected, and collect from now on."""
        self._collecting = False
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        self._collecting = True

    def push(self, news: FeedNews | None) -> None:
        """Hand news to the client; one that does not keep up has to read the log."""
        if not self._collecting or (self._write is not None and self._send(news)):
            return
        try:
            self._queue.put_nowait(news)
        except Full:
            self.fall_behind()

    def fall_behind(self) -> None:
        """Stop collecting: what comes has to be read from the log."""
        self._collecting = False

    def wait_for_news(
        self, timeout: float, write: Callable[[FeedNews | None], bytes | None] | None = None
    ) -> FeedNews | None:
        """The same as for other subscriptions; raises Dropped or FellBehind."""
        self.check()
        if not self._collecting:
            raise FellBehind
        return super().wait_for_news(timeout, write)
