"""One reader per process, which passes new events of the log to all its event streams."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from redis.exceptions import RedisError

from service.api.errors import TooManyStreams
from service.api.subscriptions import FeedNews, FeedSubscription, News, Subscription
from service.game_feed.position import Position, place_at
from service.game_feed.reader import GameFeed
from service.log.errors import LogError
from service.log.interface import EventLog
from service.log.values import Pointer

logger = logging.getLogger(__name__)

MOST_STREAMS = 5000
MOST_LOOKING = 200
"""Streams for which the store is looked at again and again, since nothing tells of news."""
MOST_LOOKING_FOR_ONE = 20
"""How many of them one client may have."""
MOST_LOOKING_FOR_ADDRESS = 100
"""How many of them all clients of one address may have: players are easily made."""


AnySubscription = Subscription[Any]
"""Of whatever news."""


class Hub:
    """Tails the feeds of all partitions on one connection, and fans out by topic.

    A topic is a game's stream (`game:<id>`) or a player (`player:<id>`): a pointer goes to its
    stream's topic and to those of its audience. Readers of all games' feed have topics of their
    own (`service.game_feed.filter`). The reader runs while there are subscriptions.
    """

    def __init__(
        self, log: EventLog, feed: GameFeed, *, most_for_one: int, most: int = MOST_STREAMS
    ) -> None:
        self.log = log
        self.feed = feed
        self.most = most
        self.most_for_one = most_for_one
        self._topics: dict[str, set[AnySubscription]] = defaultdict(set)
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._looking_from: Counter[str] = Counter()
        self._reader: threading.Thread | None = None
        self._positions: dict[int, str] = {}
        self._following = 0

    @property
    def open_streams(self) -> int:
        """The number of subscribed clients."""
        return self._held.total()

    def subscribe(self, topic: str, address: str, looking_for: str | None) -> Subscription[News]:
        """Begin to collect a topic's pointers for a client there; raises TooManyStreams.

        What is appended after this returns is collected, without a gap. Who follows what also has
        to be looked for in the store says with `looking_for` which client wants it.
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
        """Let a client there follow the feed of all games by topics; raises TooManyStreams."""
        subscription = FeedSubscription(topics, address)
        self._add(subscription)
        return subscription

    def find_position(self) -> Position:
        """The position behind everything that was handed to those who follow the feed.

        Only for as long as one is subscribed.
        """
        return place_at(self._positions)

    def _add(self, subscription: AnySubscription) -> None:
        with self._lock:
            self._check(subscription.address, subscription.looking_for)
            if self._reader is None:
                self._positions = self.log.feed_positions()
            for topic in subscription.topics:
                self._topics[topic].add(subscription)
            self._tally(subscription, 1)
            if self._reader is None:
                self._reader = threading.Thread(target=self._run, name="hub", daemon=True)
                self._reader.start()

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

    def _tally(self, subscription: AnySubscription, change: int) -> None:
        tallies = [(self._held, subscription.address)]
        self._following += change * isinstance(subscription, FeedSubscription)
        if subscription.looking_for is not None:
            tallies.append((self._looking, subscription.looking_for))
            tallies.append((self._looking_from, subscription.address))
        for counts, key in tallies:
            counts[key] += change
            if not counts[key]:
                del counts[key]

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
        while self._is_needed():
            try:
                for partition, pointer in self.log.wait(self._positions, timeout=1.0):
                    self._deliver(partition, pointer)
                    self._positions[partition] = pointer.position
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

    def _deliver(self, partition: int, pointer: Pointer) -> None:
        self._deliver_feed(partition, pointer)
        followers = self._list_subscribers([str(pointer.stream)])
        if followers:
            self._deliver_events(pointer, followers)
        for player in pointer.audience:
            for subscription in self._list_subscribers([f"player:{player}"]):
                subscription.push(News(pointer, ()))

    def _deliver_feed(self, partition: int, pointer: Pointer) -> None:
        """Hand what was appended to those who follow the feed of all games."""
        if not self._following:
            return
        try:
            followers = self._list_subscribers(self.feed.list_topics(pointer))
            told = self.feed.tell_append(partition, pointer) if followers else []
        except RedisError:
            raise
        except Exception:
            # One append that cannot be told must not end the reader of all streams; who follows
            # the feed is told of the error, and misses nothing.
            logger.exception("%s cannot be told in the feed of all games", pointer.stream)
            self._leave_behind()
            return
        if told:
            news = FeedNews(pointer, told, place_at(self._positions))
            for subscription in followers:
                subscription.push(news)

    def _leave_behind(self) -> None:
        """Let all who follow the feed of all games go on from the log."""
        with self._lock:
            everybody = {each for topic in self._topics.values() for each in topic}
        for subscription in everybody:
            if isinstance(subscription, FeedSubscription):
                subscription.fall_behind()

    def _deliver_events(self, pointer: Pointer, followers: Sequence[AnySubscription]) -> None:
        count = pointer.last - pointer.first + 1
        try:
            recorded = self.log.read(pointer.stream, pointer.first - 1, count)
        except LogError:
            # One event that cannot be read must not end the reader of all streams.
            logger.exception("%s cannot be followed", pointer.stream)
            for subscription in followers:
                subscription.drop()
            return
        news = News(pointer, recorded)
        for subscription in followers:
            subscription.push(news)

    def _list_subscribers(self, topics: Iterable[str]) -> list[AnySubscription]:
        """Those who follow any of these topics."""
        with self._lock:
            found: dict[AnySubscription, None] = {}
            for topic in topics:
                found |= dict.fromkeys(self._topics.get(topic, ()))
            return list(found)
