"""One reader per process, which passes new events of the log to all its event streams."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue

from redis.exceptions import RedisError

from service.api.errors import TooManyStreams
from service.log.errors import LogError
from service.log.interface import EventLog
from service.log.values import Pointer, Recorded

logger = logging.getLogger(__name__)

QUEUED = 256
"""News a client may be behind before it is dropped; it resumes with Last-Event-ID."""
MOST_STREAMS = 5000
MOST_LOOKING = 200
"""Streams for which the store is looked at again and again, since nothing tells of news."""
MOST_LOOKING_FOR_ONE = 20
"""How many of them one client may have."""
MOST_LOOKING_FOR_ADDRESS = 100
"""How many of them all clients of one address may have: players are easily made."""


class Dropped(Exception):
    """The client was too slow and has to resume."""


@dataclass(frozen=True, slots=True)
class News:
    """A pointer, and for the followers of its stream the events, read once for all of them."""

    pointer: Pointer
    recorded: Sequence[Recorded]


class Subscription:
    """The news that concern one client, in a bounded queue."""

    def __init__(self, topic: str, address: str, looking_for: str | None) -> None:
        self.topic = topic
        self.address = address
        self.looking_for = looking_for
        self._queue: Queue[News | None] = Queue(QUEUED)
        self._dropped = False

    def push(self, news: News) -> None:
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

    def wait_for_news(self, timeout: float) -> News | None:
        """The next news, None when there were none in `timeout` seconds; raises Dropped."""
        news = None
        if not self._dropped:
            with suppress(Empty):
                news = self._queue.get(timeout=timeout)
        if self._dropped:
            raise Dropped
        return news


class Hub:
    """Tails the feeds of all partitions on one connection, and fans out by topic.

    A topic is a game's stream (`game:<id>`) or a player (`player:<id>`): a pointer goes to its
    stream's topic and to those of its audience. The reader runs while there are subscriptions.
    """

    def __init__(self, log: EventLog, *, most_for_one: int, most: int = MOST_STREAMS) -> None:
        self.log = log
        self.most = most
        self.most_for_one = most_for_one
        self._topics: dict[str, set[Subscription]] = defaultdict(set)
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._looking_from: Counter[str] = Counter()
        self._reader: threading.Thread | None = None

    @property
    def open_streams(self) -> int:
        """The number of subscribed clients."""
        return self._held.total()

    def subscribe(self, topic: str, address: str, looking_for: str | None) -> Subscription:
        """Begin to collect a topic's pointers for a client there; raises TooManyStreams.

        What is appended after this returns is collected, without a gap. Who follows what also has
        to be looked for in the store says with `looking_for` which client wants it.
        """
        with self._lock:
            self._check(address, looking_for)
            heads = self.log.feed_positions() if self._reader is None else None
            subscription = Subscription(topic, address, looking_for)
            self._topics[topic].add(subscription)
            self._tally(subscription, 1)
            if heads is not None:
                self._reader = threading.Thread(
                    target=self._run, args=(heads,), name="hub", daemon=True
                )
                self._reader.start()
        return subscription

    def _check(self, address: str, looking_for: str | None) -> None:
        limits = [(self._held.total(), self.most), (self._held[address], self.most_for_one)]
        if looking_for is not None:
            limits += [
                (self._looking[looking_for], MOST_LOOKING_FOR_ONE),
                (self._looking_from[address], MOST_LOOKING_FOR_ADDRESS),
                (self._looking.total(), MOST_LOOKING),
            ]
        for count, most in limits:
            if count >= most:
                raise TooManyStreams(most)

    def _tally(self, subscription: Subscription, change: int) -> None:
        tallies = [(self._held, subscription.address)]
        if subscription.looking_for is not None:
            tallies.append((self._looking, subscription.looking_for))
            tallies.append((self._looking_from, subscription.address))
        for counts, key in tallies:
            counts[key] += change
            if not counts[key]:
                del counts[key]

    def unsubscribe(self, subscription: Subscription) -> None:
        """Stop collecting."""
        with self._lock:
            subscribers = self._topics.get(subscription.topic, set())
            if subscription in subscribers:
                subscribers.remove(subscription)
                self._tally(subscription, -1)
            if not subscribers:
                self._topics.pop(subscription.topic, None)

    def _run(self, positions: dict[int, str]) -> None:
        pause = threading.Event()
        while self._is_needed():
            try:
                for partition, pointer in self.log.wait(positions, timeout=1.0):
                    self._deliver(pointer)
                    positions[partition] = pointer.position
            except RedisError as error:
                if self._held:
                    logger.warning("the log cannot be followed, trying again: %s", error)
                    pause.wait(0.5)
            except Exception:
                # Without its reader every stream would be silent for ever.
                logger.exception("the log cannot be followed, trying again")
                pause.wait(0.5)

    def _is_needed(self) -> bool:
        with self._lock:
            if not self._held:
                self._reader = None
            return bool(self._held)

    def _deliver(self, pointer: Pointer) -> None:
        followers = self._list_subscribers(str(pointer.stream))
        if followers:
            self._deliver_events(pointer, followers)
        for player in pointer.audience:
            for subscription in self._list_subscribers(f"player:{player}"):
                subscription.push(News(pointer, ()))

    def _deliver_events(self, pointer: Pointer, followers: Sequence[Subscription]) -> None:
        count = pointer.last - pointer.first + 1
        try:
            recorded = self.log.read(pointer.stream, pointer.first - 1, count)
        except LogError:
            # One event that cannot be read must not end the reader of all streams.
            logger.exception("%s cannot be followed", pointer.stream)
            for subscription in followers:
                subscription.drop()
            return
        for subscription in followers:
            subscription.push(News(pointer, recorded))

    def _list_subscribers(self, topic: str) -> list[Subscription]:
        with self._lock:
            return list(self._topics.get(topic, ()))
