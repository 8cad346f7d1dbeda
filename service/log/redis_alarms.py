"""The alarms of a log in Redis (`service.log.alarms`).

Each partition has a sorted set, to which the append script adds:

    movelog:{p7}:alarms    stream name → milliseconds since 1970 UTC

The empty name stands in each set at no time at all: where it is missing, the set was lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import redis

from service.log.alarms import Alarm, AlarmView
from service.log.partition import partition_of
from service.log.values import StreamId

LOOK: Final = """
local found, lost = {}, {}
for index, key in ipairs(KEYS) do
  if not redis.call('ZSCORE', key, '') then lost[#lost + 1] = index - 1 end
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
  for _, value in ipairs(due) do found[#found + 1] = value end
end
return {found, lost}
"""
MOVE: Final = """
local seen = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not seen or tonumber(seen) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '0' then redis.call('ZREM', KEYS[1], ARGV[1])
else redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
return 1
"""


class RedisAlarms:
    """`Alarms` in Redis."""

    def __init__(self, client: redis.Redis, partitions: int) -> None:
        self.client = client
        self.keys = [name_alarms(partition) for partition in range(partitions)]
        self._look = client.register_script(LOOK)
        self._move = client.register_script(MOVE)

    def look(self, before: int, limit: int = 1000) -> AlarmView:
        """The alarms up to a time (see the interface)."""
        answer: Any = self._look(keys=self.keys, args=[before, limit])
        found, lost = answer
        alarms = [
            Alarm(_decode_stream(name), int(float(at)))
            for name, at in zip(found[::2], found[1::2], strict=True)
        ]
        return AlarmView(sorted(alarms, key=lambda alarm: alarm.at), [int(each) for each in lost])

    def move(self, stream: StreamId, seen: int, at: int) -> bool:
        """Set a stream's alarm if nobody else has (see the interface)."""
        return bool(self._move(keys=[self._key_of(stream)], args=[str(stream), seen, at]))

    def restore(self, partition: int, alarms: Mapping[StreamId, int]) -> None:
        """Set lost alarms (see the interface)."""
        scores: dict[str, float] = {str(stream): at for stream, at in alarms.items()}
        self.client.zadd(self.keys[partition], scores | {"": float("inf")}, nx=True)

    def _key_of(self, stream: StreamId) -> str:
        return self.keys[partition_of(stream, len(self.keys))]


def name_alarms(partition: int) -> str:
    """The key of a partition's alarms."""
    return f"movelog:{{p{partition}}}:alarms"


def _decode_stream(name: bytes) -> StreamId:
    kind, _, id = name.decode().partition(":")
    return StreamId(kind, id)
