"""One reader per process, which passes new events of the log to all its event streams."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from redis.exceptions import RedisError

from service.api.followed_feeds import FollowedFeeds
from service.api.news_reader import read_news
from service.api.stream_counts import MOST_STREAMS, StreamCounts
from service.api.subscriptions import FeedNews, FeedSubscription, News, Subscription
from service.game_feed.position import Position, place_at
from service.game_feed.reader import GameFeed
from service.log.interface import EventLog
from service.log.values import Pointer
from service.log.wake import Wake
from service.tracing.tracing import DELIVER, note_received

logger = logging.getLogger(__name__)

PACE: Final = 0.05
BUSY_PACE: Final = 0.2
"""The least seconds between two looks at the feeds, and between two looks if much happens.

Whatever has come meanwhile is read and sent together. News after a silence is sent at once. A look
costs as much as sending several plies, and plies sent together cost less each.
"""
SILENCES: Final = 3.0
"""Seconds between two looks for streams that have been sent nothing for too long."""
MUCH: Final = 4
"""The number of appends found by one look from which on much happens."""
TURN: Final = 100
"""Streams that are sent news, or the end of the process, in one go; then others get a turn."""
TURNS_APART: Final = 0.02
"""Seconds between two such goes at the end, so that not all clients reconnect at once."""


AnySubscription = Subscription[Any]
"""A subscription to news of any kind."""


class Hub:
    """Tails the feeds that its subscriptions need on one connection, and fans out by topic.

    A topic is a game's stream (`game:<id>`) or a player (`player:<id>`): a pointer goes to its
    stream's topic and to those of its audience. Readers of the feed of all games have separate
    topics (`service.game_feed.filter`). The reader runs while there are subscriptions.
    """

    def __init__(
        self, log: EventLog, feed: GameFeed, *, most_for_one: int, most: int = MOST_STREAMS
    ) -> None:
        self.log = log
        self.feed = feed
        self._counts = StreamCounts(most, most_for_one)
        self._topics: dict[str, set[AnySubscription]] = defaultdict(set)
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._feeds = FollowedFeeds(log)
        self._wake = Wake()
        self._following = 0
        self._draining = False
        self._looked_at = 0.0

    @property
    def open_streams(self) -> int:
        """The number of subscribed clients."""
        return self._counts.total

    def subscribe(self, topic: str, address: str, looking_for: str | None) -> Subscription[News]:
        """Begin to collect a topic's pointers for a client at an address; raises TooManyStreams.

        Everything appended after this returns is collected, without a gap. `looking_for` names the
        client of a stream that also has to look in the store.
        """
        subscription = Subscription[News]([topic], address, looking_for)
        self._add(subscription)
        return subscription

    def subscribe_each(self, topics: Sequence[str], address: str) -> Subscription[News]:
        """Collect the pointers of several topics, as one stream; raises TooManyStreams."""
        subscription = Subscription[News](topics, address)
        self._add(subscription)
        return subscription

    def subscribe_feed(self, topics: Sequence[str], address: str) -> FeedSubscription:
        """Let a client follow the feed of all games by topics; raises TooManyStreams."""
        subscription = FeedSubscription(topics, address)
        self._add(subscription)
        return subscription

    def drain(self) -> None:
        """End all streams, and any begun from now on: their clients connect to another process."""
        self._draining = True
        everybody = self._list_all()
        for begin in range(0, len(everybody), TURN):
            for subscription in everybody[begin : begin + TURN]:
                subscription.leave()
            time.sleep(TURNS_APART)

    def find_position(self) -> Position:
        """The position after everything that was passed to the followers of the feed.

        It is known only while somebody follows the feed.
        """
        return place_at(self._feeds.positions)

    def _add(self, subscription: AnySubscription) -> None:
        partitions = self._feeds.list_partitions(subscription)
        read: dict[int, str] = {}
        while missing := self._try_add(subscription, partitions, read):
            # While another one is being added, nothing waits for the store.
            read |= self.log.feed_positions(missing)
        if read:
            # If the store is away, the reader has noticed.
            with suppress(RedisError):
                self._wake.call()

    def _try_add(
        self, subscription: AnySubscription, partitions: Collection[int], read: Mapping[int, str]
    ) -> Sequence[int]:
        """Add a subscription, unless it needs feeds neither followed nor `read`; returns those."""
        with self._lock:
            self._counts.check(subscription)
            if missing := self._feeds.begin(partitions, read):
                return missing
            for topic in subscription.topics:
                self._topics[topic].add(subscription)
            self._tally(subscription, 1)
            if self._draining:
                subscription.leave()
            if self._reader is None:
                self._reader = threading.Thread(target=self._run, name="hub", daemon=True)
                self._reader.start()
            return ()

    def _tally(self, subscription: AnySubscription, change: int) -> None:
        self._counts.tally(subscription, change)
        self._feeds.tally(self._feeds.list_partitions(subscription), change)
        self._following += change * isinstance(subscription, FeedSubscription)

    def unsubscribe(self, subscription: AnySubscription) -> None:
        """Stop collecting."""
        with self._lock:
            known = False
            for topic in subscription.topics:
                subscribers = self._topics.get(topic, set())
                if subscription in subscribers:
                    subscribers.remove(subscription)
                    known = True
                if not subscribers:
                    self._topics.pop(topic, None)
            if known:
                self._tally(subscription, -1)

    def _run(self) -> None:
        pause = threading.Event()
        while after := self._choose_positions():
            try:
                begun = time.monotonic()
                self._break_silences(begun)
                if found := self.log.wait(after, 1.0, self._wake):
                    news = self._read_events([pointer for _, pointer in found])
                    self._write_ahead(news)
                    for (partition, pointer), each in zip(found, news, strict=True):
                        self._deliver(partition, each)
                        self._feeds.positions[partition] = pointer.position
                    pace = BUSY_PACE if len(found) >= MUCH else PACE
                    pause.wait(pace - (time.monotonic() - begun))
            except RedisError as error:
                if self._counts.total:
                    logger.warning("the log cannot be followed, trying again: %s", error)
                    pause.wait(0.5)
            except Exception:
                # Without its reader every stream would be silent for ever.
                logger.exception("the log cannot be followed, trying again")
                pause.wait(0.5)

    def _choose_positions(self) -> dict[int, str]:
        """The positions to read on from; with none, the reader ends."""
        with self._lock:
            self._wake.reset()
            after = self._feeds.choose()
            if not after:
                self._reader = None
            return after

    def _break_silences(self, now: float) -> None:
        """Keep alive the streams that would have been silent for too long by the next look."""
        if now - self._looked_at < SILENCES:
            return
        self._looked_at = now
        for subscription in self._list_all():
            subscription.break_silence(now + SILENCES)

    def _read_events(self, pointers: Sequence[Pointer]) -> list[News]:
        """The news of each of these pointers, with events if somebody follows its stream.

        Where events are lacking, the streams of their followers end, and no others.
        """
        with self._lock:
            followed = {each.stream for each in pointers if str(each.stream) in self._topics}
        news, lacking = read_news(self.log, pointers, followed)
        for subscription in self._list_subscribers(map(str, lacking)):
            subscription.drop()
        return news

    def _write_ahead(self, news: Sequence[News]) -> None:
        """Have each stream's first message written before any is sent.

        If writing and sending took turns, neither would find the processor's caches warm.
        """
        first = {each.pointer.stream: each for each in reversed(news) if each.recorded}
        for stream, each in first.items():
            for subscription in self._list_subscribers([str(stream)])[:1]:
                subscription.write_ahead(each)

    def _deliver(self, partition: int, news: News) -> None:
        begun, pointer = time.time_ns(), news.pointer
        clients = self._deliver_feed(partition, pointer)
        if news.recorded:
            clients += self._push(str(pointer.stream), news)
        for player in pointer.audience:
            # Most players follow nothing here.
            if (topic := f"player:{player}") in self._topics:
                clients += self._push(topic, News(pointer, ()))
        if clients:
            note_received(DELIVER, [pointer], begun, clients)

    def _push(self, topic: str, news: News) -> int:
        subscriptions = self._list_subscribers([topic])
        push_each(subscriptions, news)
        return len(subscriptions)

    def _deliver_feed(self, partition: int, pointer: Pointer) -> int:
        """Pass an append on to the followers of the feed of all games; returns how many got it."""
        if not self._following:
            return 0
        try:
            followers = self._list_subscribers(self.feed.list_topics(pointer))
            events = self.feed.read_append(partition, pointer) if followers else []
        except RedisError:
            raise
        except Exception:
            # One append that cannot be sent must not end the reader of all streams; the followers
            # of the feed are told of the error, and miss nothing.
            logger.exception("%s cannot be sent in the feed of all games", pointer.stream)
            self._leave_behind()
            return 0
        if not events:
            return 0
        push_each(followers, FeedNews(pointer, events, self.find_position()))
        return len(followers)

    def _leave_behind(self) -> None:
        """Let all followers of the feed of all games go on from the log."""
        for subscription in self._list_all():
            if isinstance(subscription, FeedSubscription):
                subscription.fall_behind()

    def _list_all(self) -> list[AnySubscription]:
        """All subscriptions, each once."""
        with self._lock:
            return list({each: None for topic in self._topics.values() for each in topic})

    def _list_subscribers(self, topics: Iterable[str]) -> list[AnySubscription]:
        """The followers of any of these topics."""
        with self._lock:
            found = [self._topics[topic] for topic in topics if topic in self._topics]
            return list(found[0] if len(found) == 1 else dict.fromkeys(chain.from_iterable(found)))


def push_each(subscriptions: Sequence[AnySubscription], news: object) -> None:
    """Hand news to each of these clients; requests and other streams go on meanwhile."""
    for count, subscription in enumerate(subscriptions, 1):
        subscription.push(news)
        if count % TURN == 0:
            time.sleep(0)
