"""The alarms of a log in Redis (`service.log.alarms`).

Each partition has a sorted set, to which the append script adds:

    movelog:{p7}:alarms    stream name → milliseconds since 1970 UTC

Each set also contains the empty name; if that is missing, the set was lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from service.log.alarms import Alarm, AlarmView
from service.log.cluster import LogCluster
from service.log.partition import partition_of
from service.log.redis_exchange import LogClient, run_once
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

    def __init__(self, client: LogClient, partitions: int) -> None:
        self.client = client
        self.keys = [name_alarms(partition) for partition in range(partitions)]
        self._look = client.register_script(LOOK)
        self._move = client.register_script(MOVE)

    def look(self, before: int, limit: int = 1000) -> AlarmView:
        """The alarms up to a time (see the interface)."""
        alarms: list[Alarm] = []
        lost: list[int] = []
        for first, (found, without) in self._look_each(before, limit):
            lost += [first + int(index) for index in without]
            pairs = zip(found[::2], found[1::2], strict=True)
            alarms += [Alarm(_decode_stream(name), int(float(at))) for name, at in pairs]
        return AlarmView(sorted(alarms, key=lambda alarm: alarm.at), lost)

    def _look_each(self, before: int, limit: int) -> Iterable[tuple[int, Any]]:
        """The answers to LOOK, each with the first partition that it is about."""
        if isinstance(self.client, LogCluster):
            # No script may touch two slots, even on one node.
            calls = [(1, key, before, limit) for key in self.keys]
            return enumerate(run_once(self.client, LOOK, calls))
        return [(0, self._look(keys=self.keys, args=[before, limit]))]

    def move(self, stream: StreamId, seen: int, at: int) -> bool:
        """Set a stream's alarm if nobody else has changed it (see the interface)."""
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
