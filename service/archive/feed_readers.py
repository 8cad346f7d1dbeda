"""The readers of the partitions' feeds: what all of them have read may leave Redis.

    movelog:{archive}:readers      hash: a reader's name → JSON of how far it is, and when it said

Readers that are not registered here, such as those of the public feed, miss nothing: the log reads
trimmed pointers in the archive. A registered reader that has died holds the feeds in Redis until it
is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import redis

from service.log.feed_range import parse_position
from service.log.interface import FEED_START, EventLog

READERS: Final = "movelog:{archive}:readers"


@dataclass(frozen=True, slots=True)
class FeedReader:
    """A reader: how far it is in each partition, and when and where it was last heard of.

    `at` is in milliseconds since 1970 UTC, `where` the name of a machine.
    """

    name: str
    at: int
    where: str
    positions: Mapping[int, str]

    def find_lag(self, log: EventLog, ends: Mapping[int, str]) -> int:
        """How many milliseconds it is behind these ends of the log's feeds; 0 if it has read all.

        That is the time from the oldest pointer that it has not read, in any partition, to the end.
        """
        behind = {
            p: at
            for p, end in ends.items()
            if parse_position(at := self.positions.get(p, FEED_START)) < parse_position(end)
        }
        unread = log.feed_each(behind, 1) if behind else {}
        return max(
            (
                max(1, parse_position(ends[p])[0] - parse_position(pointer.position)[0])
                for p, pointers in unread.items()
                for pointer in pointers
            ),
            default=0,
        )


class FeedReaders:
    """The readers of a log's feeds, in Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def note(self, reader: FeedReader) -> None:
        """Note how far a reader is, which also registers it."""
        value = {"at": reader.at, "where": reader.where, "positions": dict(reader.positions)}
        self.client.hset(READERS, reader.name, json.dumps(value, separators=(",", ":")))

    def list(self) -> list[FeedReader]:
        """All readers, by name."""
        stored: Any = self.client.hgetall(READERS)
        return sorted(
            (_decode(name.decode(), json.loads(value)) for name, value in stored.items()),
            key=lambda reader: reader.name,
        )

    def forget(self, name: str) -> bool:
        """Stop waiting for a reader; False if it is unknown. A live one registers itself again."""
        return bool(self.client.hdel(READERS, name))

    def find_read(self, partitions: int) -> dict[int, str]:
        """The position up to which all readers have read each partition; empty without readers."""
        readers = self.list()
        if not readers:
            return {}
        return {
            p: min((r.positions.get(p, FEED_START) for r in readers), key=parse_position)
            for p in range(partitions)
        }


def _decode(name: str, value: Mapping[str, Any]) -> FeedReader:
    positions = {int(partition): str(at) for partition, at in value["positions"].items()}
    return FeedReader(name, int(value["at"]), str(value["where"]), positions)
