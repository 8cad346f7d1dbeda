"""The partitions' feeds in Redis, whose beginnings leave for the archive.

movelog:{p7}:trimmed           the position up to which the partition's feed was trimmed
movelog:{archive}:log          the log's id, which its segments bear
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final
from uuid import uuid4

from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.redis_exchange import read_together
from service.log.redis_forms import name_feed

TRIM: Final = """
-- KEYS 1 feed  2 trimmed; ARGV 1 position of a pointer  2 the position behind it
-- The newest pointer stays: it tells where the feed ends, and wakes whoever waits for the others.
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if #newest == 0 or newest[1][1] == ARGV[1] then return 0 end
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[2])
return 1
"""
"""Trims a feed up to and including a pointer; returns 0 if that is missing, or the newest."""

LOG: Final = "movelog:{archive}:log"


class RedisFeeds:
    """What Redis has of the feeds of a log."""

    def __init__(self, log: RedisEventLog) -> None:
        self.log = log
        self._trim = log.client.register_script(TRIM)

    def marks(self, partitions: Iterable[int]) -> dict[int, str]:
        """The position up to which each of these partitions' feeds was trimmed."""
        asked = list(partitions)
        values = read_together(self.log.client, [("GET", name_mark(p)) for p in asked])
        return decode_marks(dict(zip(asked, values, strict=True)))

    def count_entries(self) -> list[int]:
        """How many pointers each partition's feed has in Redis."""
        keys = map(name_feed, range(self.log.partitions))
        return [int(count) for count in read_together(self.log.client, [("XLEN", k) for k in keys])]

    def trim(self, partition: int, upto: str) -> bool:
        """Trim a feed up to and including the pointer at a position; False if it is not there."""
        time, number = parse_position(upto)
        keys = [name_feed(partition), name_mark(partition)]
        return bool(self._trim(keys=keys, args=[upto, f"{time}-{number + 1}"]))

    def identify_log(self) -> str:
        """The id of this log; no other has it, nor does this one after it was restored."""
        self.log.client.set(LOG, uuid4().hex, nx=True)
        found: Any = self.log.client.get(LOG)
        return str(found.decode())


def decode_marks(values: Mapping[int, bytes | None]) -> dict[int, str]:
    """The positions of these marks by partition; FEED_START if a feed was never trimmed."""
    return {p: value.decode() if value else FEED_START for p, value in values.items()}


@cache
def name_mark(partition: int) -> str:
    """The key of the position up to which a partition's feed was trimmed."""
    return f"movelog:{{p{partition}}}:trimmed"
