"""How many event streams a process may have, and how many of them one client or address."""

from __future__ import annotations

from collections import Counter
from typing import Any

from service.api.errors import TooManyStreams
from service.api.subscriptions import Subscription

MOST_STREAMS = 5000
MOST_LOOKING = 200
"""Streams for which the store is polled, since nothing announces news."""
MOST_LOOKING_FOR_ONE = 20
"""How many of them one client may have."""
MOST_LOOKING_FOR_ADDRESS = 100
"""How many of them all clients of one address may have: players are easily registered."""


class StreamCounts:
    """The open streams; the caller takes care of locking.

    There are at most `most` at once, and at most `most_for_one` from one address.
    """

    def __init__(self, most: int, most_for_one: int) -> None:
        self.most = most
        self.most_for_one = most_for_one
        self._held: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._looking_from: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The number of open streams."""
        return self._held.total()

    def check(self, stream: Subscription[Any]) -> None:
        """Raise TooManyStreams if this one would be too many."""
        limits = [(self.total, self.most), (self._held[stream.address], self.most_for_one)]
        if stream.looking_for is not None:
            limits += [
                (self._looking[stream.looking_for], MOST_LOOKING_FOR_ONE),
                (self._looking_from[stream.address], MOST_LOOKING_FOR_ADDRESS),
                (self._looking.total(), MOST_LOOKING),
            ]
        for count, most in limits:
            if count >= most:
                raise TooManyStreams(most)

    def tally(self, stream: Subscription[Any], change: int) -> None:
        """Count a stream in, or out with a change of -1."""
        tallies = [(self._held, stream.address)]
        if stream.looking_for is not None:
            tallies.append((self._looking, stream.looking_for))
            tallies.append((self._looking_from, stream.address))
        for counts, key in tallies:
            counts[key] += change
            if not counts[key]:
                del counts[key]
