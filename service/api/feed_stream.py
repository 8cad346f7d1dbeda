"""The messages of `/stream`: the feed of all games, from the log and then as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final

from redis.exceptions import RedisError

from service.api.event_hub import Hub
from service.api.player_stream import RETRY
from service.api.schemas.queries import CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.subscriptions import Dropped, FeedNews, FeedSubscription, FellBehind
from service.game_feed.errors import UnknownPosition
from service.game_feed.feed_events import FeedEvent
from service.game_feed.filter import Filter
from service.game_feed.position import Position, PositionCipher
from service.game_feed.reader import Placed
from service.log.feed_range import parse_position

BATCH: Final = 500
"""Events that are read and sent together."""


class FeedMessages:
    """The messages to one client of the feed; `position` is after what was sent last.

    A client that is behind is sent what the log has, as fast as it reads. A client that has caught
    up is sent what the hub passes on. One that does not keep up with that goes on from the log, so
    nothing is lost and nothing piles up.
    """

    def __init__(
        self,
        hub: Hub,
        cipher: PositionCipher,
        filter: Filter,
        position: Position,
        subscription: FeedSubscription,
    ) -> None:
        self.hub = hub
        self.cipher = cipher
        self.filter = filter
        self.position = position
        self.subscription = subscription

    def stream_messages(self, ends: bool) -> Iterator[str]:
        """Yield the messages; with `ends`, until the client has caught up.

        Raises UnknownPosition before the first one.
        """
        begun = caught_up = False
        try:
            while True:
                for text in self._read_log():
                    begun = True
                    yield text
                if not caught_up:
                    text = self.cipher.write(self.position)
                    yield write_event(CAUGHT_UP, {"position": text}, text)
                    begun = caught_up = True
                if ends:
                    return
                yield from self._follow()
        except Dropped:
            return
        except UnknownPosition:
            # The store was restored while the client read: its next request reports that.
            if not begun:
                raise

    def _read_log(self) -> Iterator[str]:
        """Send what the log has, until nothing that comes later can be missed."""
        collecting = False
        while True:
            self.subscription.check()
            try:
                page = self.hub.feed.read(self.position, self.filter, BATCH)
            except RedisError:
                time.sleep(RETRY)
                yield KEEP_ALIVE_COMMENT
                continue
            if page.events:
                yield "".join(self._write_page(page.events))
            self.position = page.position
            if not page.caught_up:
                if not page.events:
                    # If few of many events are wanted, the search need not begin again.
                    yield self._write_position()
            elif collecting:
                return
            else:
                self.subscription.collect()
                collecting = True

    def _follow(self) -> Iterator[str]:
        """Send what the hub passes on, until the client does not keep up."""
        while True:
            # Everything up to there has been passed to the subscription.
            handed = self.hub.find_position()
            try:
                news = self.subscription.wait_for_news(KEEP_ALIVE, self._write_bytes)
            except FellBehind:
                return
            if news is None:
                yield self._write_silence(handed)
            elif text := self._write_news(news):
                yield text

    def _write_bytes(self, news: FeedNews | None) -> bytes:
        """The message about news, written where the hub passes them on."""
        if news is None:
            return self._write_silence(self.hub.find_position()).encode()
        return self._write_news(news).encode()

    def _write_silence(self, handed: Position) -> str:
        """A comment, with the position after what was `handed` to the subscription and sent."""
        self.position = self.position.join(handed)
        return KEEP_ALIVE_COMMENT.rstrip() + "\n" + self._write_position()

    def _write_news(self, news: FeedNews) -> str:
        """The messages about what the hub passes on, without what was sent already."""
        pointer, partition = news.pointer, news.events[0].partition
        place = parse_position(pointer.position)
        if place <= self.position.places[partition] or not self.hub.feed.fits(pointer, self.filter):
            return ""
        if news.before.covers(self.position):
            if news.messages is None:
                news.messages = self._write_all(news.events, news.before)
            messages, position = news.messages, news.before
        else:
            position = self.position.join(news.before)
            messages = self._write_all(news.events, position)
        self.position = position.move(partition, place)
        wanted = zip(news.events, messages, strict=True)
        return "".join(text for event, text in wanted if self.filter.wants(event.stored_name))

    def _write_page(self, events: Sequence[Placed]) -> Iterator[str]:
        """Each event of a page as a message; the events between two of them do not match."""
        position = self.position
        for event, before in events:
            position = event.position_after(position, before)
            yield self._write(event, position)

    def _write_all(self, events: Sequence[FeedEvent], position: Position) -> list[str]:
        """Each event of an append as a message, to a client at the position before it."""
        before = position.places[events[0].partition]
        return [self._write(event, event.position_after(position, before)) for event in events]

    def _write(self, event: FeedEvent, position: Position) -> str:
        """An event as a message, with the position after it as its id."""
        return f"id: {self.cipher.write(position)}\ndata: {event.json}\n\n"

    def _write_position(self) -> str:
        """What a client keeps as the id of its last event, without being sent one."""
        return f"id: {self.cipher.write(self.position)}\n\n"
