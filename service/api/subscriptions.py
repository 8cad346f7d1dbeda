"""What an event stream waits at: the news that concern its client, in a bounded queue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import Final, Generic, TypeVar

from service.game_feed.position import Position
from service.game_feed.told import Told
from service.log.values import Pointer, Recorded

QUEUED: Final = 256
"""News a client may be behind before it is dropped; it resumes with Last-Event-ID."""


class Dropped(Exception):
    """The client was too slow and has to resume."""


N = TypeVar("N")


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
    """The news that concern one client, in a bounded queue."""

    def __init__(self, topics: Sequence[str], address: str, looking_for: str | None = None) -> None:
        self.topics = topics
        self.address = address
        self.looking_for = looking_for
        self._queue: Queue[N | None] = Queue(QUEUED)
        self._dropped = False

    def push(self, news: N) -> None:
        """Hand news to the client; one that does not keep up is dropped."""
        try:
            self._queue.put_nowait(news)
        except Full:
            self.drop()

    def drop(self) -> None:
        """Let `next` raise Dropped from now on, also where it waits."""
        self._dropped = True
        with suppress(Full):
            self._queue.put_nowait(None)

    def wait_for_news(self, timeout: float) -> N | None:
        """The next news, None when there were none in `timeout` seconds; raises Dropped."""
        news = None
        if not self._dropped:
            with suppress(Empty):
                news = self._queue.get(timeout=timeout)
        if self._dropped:
            raise Dropped
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

    def push(self, news: FeedNews) -> None:
        """Hand news to the client; one that does not keep up has to read the log."""
        if not self._collecting:
            return
        try:
            self._queue.put_nowait(news)
        except Full:
            self.fall_behind()

    def fall_behind(self) -> None:
        """Collect no more: what comes has to be read from the log."""
        self._collecting = False

    def wait_for_news(self, timeout: float) -> FeedNews | None:
        """The next news, None for none in `timeout` seconds; raises Dropped or FellBehind."""
        self.check()
        if not self._collecting:
            raise FellBehind
        return super().wait_for_news(timeout)
