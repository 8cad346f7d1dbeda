"""The leases as Redis keeps them.

They are kept there and not in the database because a heartbeat every second then writes to no disk,
Redis' clock is the same for all, and a rebuild, which replaces all tables, does not affect them.
They may be lost at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import redis

MEMBERS: Final = "movelog:{projectors}:members"
"""Sorted set: process → the end of its life, in milliseconds by Redis' clock."""
LEASES: Final = "movelog:{projectors}:leases"
"""Hash: partition, or DUTIES → process; it means nothing where the process is not a member."""
REFUSALS: Final = "movelog:{projectors}:refusals"
"""Hash: partition → the process that cannot read what is in it."""
DUTIES: Final = "duties"

_SHARE: Final = files("service.projection.leases").joinpath("share.lua").read_text()
_BEAT: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1
"""


@dataclass(frozen=True, slots=True)
class Shared:
    """A process's partitions, and all `members` that share; `kept` if it was a member before."""

    partitions: frozenset[int]
    duties: bool
    members: Collection[str]
    kept: bool


class LeaseTable:
    """Who projects what; every method raises what Redis raises when it cannot be reached."""

    def __init__(self, store: redis.Redis, partitions: int) -> None:
        self.store = store
        self.partitions = partitions
        self._share = store.register_script(_SHARE)
        self._beat = store.register_script(_BEAT)

    def share(self, process: str, lives: float, unreadable: Iterable[int] = ()) -> Shared:
        """Let a process live for `lives` seconds, and give it its fair share of the partitions.

        Partitions beyond its share are free from now on. It gets none of the `unreadable` ones.
        """
        given: list[str | int] = [process, int(1000 * lives), self.partitions, *unreadable]
        found: Any = self._share([MEMBERS, LEASES, REFUSALS], given)
        partitions, duties, members, kept = found
        return Shared(
            frozenset(map(int, partitions)),
            bool(duties),
            [member.decode() for member in members],
            bool(kept),
        )

    def beat(self, process: str, lives: float) -> bool:
        """Let a process live on for `lives` seconds; False where its time was already over."""
        return bool(self._beat([MEMBERS], [process, int(1000 * lives)]))

    def remove(self, processes: Collection[str]) -> None:
        """Remove processes that have ended; what they held is free."""
        if processes:
            self.store.zrem(MEMBERS, *processes)

    def holders(self) -> Mapping[int, str]:
        """The living process of each partition that has one."""
        pipeline = self.store.pipeline(transaction=True)
        pipeline.time()
        pipeline.zrange(MEMBERS, 0, -1, withscores=True)
        pipeline.hgetall(LEASES)
        answers: Any = pipeline.execute()
        (seconds, micros), members, leases = answers
        now = 1000 * seconds + micros // 1000
        living = {member for member, until in members if until > now}
        return {
            int(unit): process.decode()
            for unit, process in leases.items()
            if process in living and unit != DUTIES.encode()
        }
