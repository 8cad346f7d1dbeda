"""How many event streams a process may have, and one client or address of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from service.api.errors import TooManyStreams
from service.api.subscriptions import Subscription

MOST_STREAMS = 5000
MOST_LOOKING = 200
"""Streams for which the store is looked at again and again, since nothing tells of news."""
MOST_LOOKING_FOR_ONE = 20
"""How many of them one client may have."""
MOST_LOOKING_FOR_ADDRESS = 100
"""How many of them all clients of one address may have: players are easily made."""


class StreamCounts:
    """The streams that are open; whoever uses it sees to locking.

    There are `most` at once, and `most_for_one` from one address.
    """

    def __init__(self, most: int, most_for_one: int) -> None:
        self.most = most
        self.most_for_one = most_for_one
        self._held: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._looking_from: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many are open."""
        return self._held.total()

    def check(self, stream: Subscription[Any]) -> None:
        """Raise TooManyStreams if there may not be this one as well."""
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
