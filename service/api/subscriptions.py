"""What an event stream waits at: the news that concern its client, in a bounded queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

from service.game_feed.position import Position
from service.game_feed.told import Told
from service.log.values import Pointer, Recorded

QUEUED: Final = 256
"""News a client may be behind before it is dropped; it resumes with Last-Event-ID."""


class Dropped(Exception):
    """The stream ends: its client was too slow or has left, or this process is about to end."""


N = TypeVar("N")


class Line(Protocol):
    """What a stream's messages go out on, past the layers of HTTP."""

    def send(self, message: bytes) -> bool:
        """Send a message at once, and say whether all of it could be; raises OSError."""

    def flush(self) -> None:
        """Wait until the rest of such a message is sent; raises OSError."""


@dataclass(frozen=True, slots=True)
class News:
    """A pointer, and for the followers of its stream the events, read once for all of them."""

    pointer: Pointer
    recorded: Sequence[Recorded]


@dataclass(slots=True)
class FeedNews:
    """What the feed of all games tells of one append, and the position before it.

    One value for all who follow the feed: what most of them are sent is written once.
    """

    pointer: Pointer
    told: Sequence[Told]
    before: Position
    messages: Sequence[str] | None = None
    """What is sent to those who have had everything before it, if it was written already."""


class Subscription(Generic[N]):
    """The news that concern one client, in a bounded queue.

    `leaving` is whether the stream ends since the process does. While a stream waits that has a
    `line`, whoever hands it news sends the message: one write for each client, with no other
    thread of control to wake. `ahead` writes what the message has in common with those of other
    clients, and keeps it for them: nothing counts as sent by it.
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
        """Have written what clients like this one will be sent of these news."""
        if self._write is not None and self.ahead is not None:
            # Whatever goes wrong does so once more when the news are pushed.
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

        Whoever hands on news has to call this every few seconds, by the monotonic clock.
        """
        if self._write is not None and now - self._sent_at >= self._timeout:
            self.push(None)

    def _send(self, news: N | None) -> bool:
        """Send what news are to a client that waits, and say whether that is done.

        Else the stream itself is woken, and does it; until it waits again, it gets all news.
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
            # Whatever it is, the stream comes upon it as well, and it is the stream's alone.
            pass
        self._write = None
        return False

    def drop(self) -> None:
        """Let `wait_for_news` raise Dropped from now on, also where it waits."""
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
        """The next news, None when nothing was sent in `timeout` seconds; raises Dropped.

        `write` makes the message that news are to the client, empty where they are none, and for
        None what keeps the stream alive. It must not wait. What it raises, and None, leaves the
        news to the stream: they are then returned.
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
            # Also where the stream is ended from outside: nobody writes for it any more.
            self._write = None
        if self._dropped:
            raise Dropped
        if self.line is not None:
            self.line.flush()
        return news


class FellBehind(Exception):
    """The client was too slow, and goes on from the log."""


class FeedSubscription(Subscription[FeedNews]):
    """The news of many games for one client, who reads the log itself where it is behind.

    Nothing is collected before `collect`, nor once the client did not keep up.
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
        """Collect no more: what comes has to be read from the log."""
        self._collecting = False

    def wait_for_news(
        self, timeout: float, write: Callable[[FeedNews | None], bytes | None] | None = None
    ) -> FeedNews | None:
        """As for other subscriptions; raises Dropped or FellBehind."""
        self.check()
        if not self._collecting:
            raise FellBehind
        return super().wait_for_news(timeout, write)
