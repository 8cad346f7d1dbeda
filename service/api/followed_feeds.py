"""Which partitions' feeds a process reads for its event streams, and how far it is in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from service.api.subscriptions import FeedSubscription, Subscription
from service.log.interface import EventLog
from service.log.values import StreamId
from service.player.state import KIND as PLAYER


class FollowedFeeds:
    """The feeds that some subscription needs; the caller takes care of locking.

    A stream's news comes through the feed of its partition. A player's news may come through any
    feed, and a follower of the feed of all games follows all.
    """

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.positions: dict[int, str] = {}
        self._needed: Counter[int] = Counter()

    def list_partitions(self, subscription: Subscription[Any]) -> Collection[int]:
        """The partitions whose feeds a subscription needs."""
        if isinstance(subscription, FeedSubscription):
            return range(self.log.partitions)
        streams = [StreamId(*topic.split(":", 1)) for topic in subscription.topics]
        if any(stream.kind == PLAYER for stream in streams):
            return range(self.log.partitions)
        return {self.log.partition(stream) for stream in streams}

    def begin(self, partitions: Collection[int], read: Mapping[int, str]) -> Sequence[int]:
        """Follow the feeds of partitions from where they were `read`; returns those that were not.

        A feed that is followed already stays where it is.
        """
        for partition in partitions:
            if partition in read:
                self.positions.setdefault(partition, read[partition])
        return [partition for partition in partitions if partition not in self.positions]

    def tally(self, partitions: Collection[int], change: int) -> None:
        """Count how many subscriptions need these partitions' feeds."""
        for partition in partitions:
            self._needed[partition] += change

    def choose(self) -> dict[int, str]:
        """The positions to read on from; feeds that nobody needs any more are forgotten.

        Only the reader of the feeds calls it, so that a feed is not begun again while it is read.
        """
        self.positions = {p: at for p, at in self.positions.items() if self._needed[p] > 0}
        return dict(self.positions)
