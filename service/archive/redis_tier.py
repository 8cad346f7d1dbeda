"""Moving streams between Redis and the archive: copy, remove and put back, a script for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final

from redis.exceptions import LockError

from service.archive.directory import Directory, DirectoryState
from service.archive.errors import DirectoryAway
from service.archive.frozen_stream import FrozenStream
from service.log.redis import RedisEventLog
from service.log.redis_alarms import name_alarms
from service.log.redis_exchange import read_together
from service.log.redis_forms import decode_stored, name_fence
from service.log.values import StreamId

COPY: Final = """
return {redis.call('XRANGE', KEYS[1], '-', '+'), redis.call('HGETALL', KEYS[2]),
        redis.call('HGETALL', KEYS[3]), redis.call('ZSCORE', KEYS[4], ARGV[1]) or ''}
"""
"""Returns a stream, its receipts and attributes, and its alarm or ''."""

REMOVE: Final = """
-- KEYS 1 stream  2 receipts  3 aside  4 alarms  5 fence; ARGV 1 stream name  2 version  3 digest
-- 4 new fence  then twice a number of pairs, and the pairs: receipts and aside
if redis.call('ZSCORE', KEYS[4], ARGV[1]) then return 0 end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if #last == 0 or last[1][1] ~= ARGV[2] .. '-0' or last[1][2][10] ~= ARGV[3] then return 0 end
local at = 5
for key = 2, 3 do
  local count = tonumber(ARGV[at])
  if redis.call('HLEN', KEYS[key]) ~= count then return 0 end
  for _ = 1, count do
    if redis.call('HGET', KEYS[key], ARGV[at + 1]) ~= ARGV[at + 2] then return 0 end
    at = at + 2
  end
  at = at + 1
end
redis.call('SET', KEYS[5], ARGV[4])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return 1
"""
"""Removes a stream that is as it was copied, and sets a new fence; returns 0 for any other."""

PUT_BACK: Final = """
-- KEYS 1 stream  2 receipts  3 aside  4 fence; ARGV 1 fence  then the number of events and five
-- fields of each, then twice a number of pairs, and the pairs: receipts and aside
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
if (redis.call('GET', KEYS[4]) or '') ~= ARGV[1] then return 0 end
local at = 2
for version = 1, tonumber(ARGV[at]) do
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[at + 1], 'd', ARGV[at + 2],
             't', ARGV[at + 3], 'b', ARGV[at + 4], 'h', ARGV[at + 5])
  at = at + 5
end
at = at + 1
for key = 2, 3 do
  for _ = 1, tonumber(ARGV[at]) do
    redis.call('HSET', KEYS[key], ARGV[at + 1], ARGV[at + 2])
    at = at + 2
  end
  at = at + 1
end
return 1
"""
"""Puts a stream back unless it exists; returns 0 if others were removed since it was found."""


DIRECTORY: Final = "movelog:{archive}:directory"
"""The identity of the directory. An empty one would make archived streams look new."""
REMOVALS: Final = "movelog:{archive}:removals"
"""How many removals the directory knew of when something last left Redis."""
LOCK: Final = "movelog:{archive}:lock"
LONGEST_HOLD: Final = 300
"""Seconds after which the lock of a process that died is free again."""


class Changed(Exception):
    """A stream that cannot be archived now: it is being written, or somebody has to examine it."""


class RedisTier:
    """The streams of a log in Redis, as they go into the archive and come back."""

    def __init__(self, log: RedisEventLog) -> None:
        self.log = log
        self._copy = log.client.register_script(COPY)
        self._remove = log.client.register_script(REMOVE)
        self._put_back = log.client.register_script(PUT_BACK)

    def copy(self, stream: StreamId) -> FrozenStream:
        """A stream with everything kept beside it, read at one moment.

        Raises Changed if it does not exist or has an alarm.
        """
        keys = [*self._keys(stream), name_alarms(self.log.partition(stream))]
        found: Any = self._copy(keys=keys, args=[str(stream)])
        entries, receipts, attributes, alarm = found
        if not entries or alarm:
            raise Changed
        events = decode_stored(entries, 0)
        return FrozenStream(
            stream, events, entries[-1][1][9].hex(), _decode(receipts), _decode(attributes)
        )

    def remove(self, frozen: FrozenStream, fence: str) -> bool:
        """Remove a stream that is exactly as it was copied; False if it is not.

        From then on, an append to a stream of its partition that is not in Redis has to look in the
        archive first. `fence` must be a value that was never used before.
        """
        stream = frozen.stream
        alarms = name_alarms(self.log.partition(stream))
        arguments = [
            str(stream),
            frozen.version,
            bytes.fromhex(frozen.head),
            fence,
            *_pairs(frozen.receipts),
            *_pairs(frozen.attributes),
        ]
        keys = [*self._keys(stream), alarms, self.log.fence_key(stream)]
        return bool(self._remove(keys=keys, args=arguments))

    def put_back(self, frozen: FrozenStream, fence: str) -> bool:
        """Put a stream back that was found in the archive after this fence was read.

        False if others were removed since, perhaps a newer version of this one: it has to be looked
        up again.
        """
        events: list[Any] = []
        for event, head in zip(frozen.events, frozen.digests, strict=True):
            events += [event.stored_name, event.data, event.at, event.by, bytes.fromhex(head)]
        arguments = [
            fence,
            frozen.version,
            *events,
            *_pairs(frozen.receipts),
            *_pairs(frozen.attributes),
        ]
        keys = [*self._keys(frozen.stream), self.log.fence_key(frozen.stream)]
        return bool(self._put_back(keys=keys, args=arguments))

    def fences(self, streams: Sequence[StreamId]) -> list[str]:
        """The fence of each of these streams' partitions and kinds, "" if none was archived."""
        keys = [self.log.fence_key(stream) for stream in streams]
        # Many streams share a partition.
        different = list(dict.fromkeys(keys))
        fences = dict(zip(different, self._get(different), strict=True))
        return [fences[key] for key in keys]

    def list_fences(self, kind: str) -> list[str]:
        """The fence of each partition's streams of a kind."""
        return self._get([name_fence(partition, kind) for partition in range(self.log.partitions)])

    def note_directory(self, directory: Directory, *, anew: bool = False) -> None:
        """Note which directory knows what has left Redis; a different one only with `anew`.

        Raises DirectoryAway if another, or a later state of this one, is noted.
        """
        client = self.log.client
        client.set(DIRECTORY, directory.state().identity, nx=not anew)
        if anew:
            # Copies of it that were made before lack what it has now.
            (noted,) = self._get([REMOVALS])
            client.set(REMOVALS, directory.count_removal(int(noted or 0) + 1))
        else:
            self.check_directory(directory)

    def note_removal(self, directory: Directory) -> None:
        """Note that what the directory has got is about to leave Redis.

        A copy of the directory from before that is refused from now on.
        """
        self.log.client.set(REMOVALS, directory.count_removal())

    def check_directory(self, directory: Directory) -> DirectoryState:
        """Raise DirectoryAway unless this is the directory that knows what has left Redis."""
        identity, removals = self._get([DIRECTORY, REMOVALS])
        # Asked afterwards: meanwhile it can only have counted more.
        state = directory.state()
        if identity and identity != state.identity:
            raise DirectoryAway(
                "it is not the one used before: run movelog archive --make-directory"
            )
        # Earlier versions noted no number.
        if removals and int(removals) > state.removals:
            raise DirectoryAway(
                "it is an older copy, which lacks what was archived since: run movelog archive"
                " --make-directory"
            )
        return state

    def set_fences(self, kind: str, fence: str) -> None:
        """Make everybody look again who has looked for a stream of this kind in the archive."""
        keys = [name_fence(partition, kind) for partition in range(self.log.partitions)]
        read_together(self.log.client, [("SET", key, fence) for key in keys])

    @contextmanager
    def hold(self) -> Iterator[Callable[[], None]]:
        """Keep others meanwhile from archiving, and from sealing archived streams again.

        Yields a function to call at least once in LONGEST_HOLD seconds. Waits for its turn.
        """
        lock = self.log.client.lock(LOCK, LONGEST_HOLD, thread_local=False)
        lock.acquire()
        try:
            held_until = monotonic() + LONGEST_HOLD

            def renew() -> None:
                nonlocal held_until
                if held_until - monotonic() < LONGEST_HOLD / 2:
                    lock.reacquire()
                    held_until = monotonic() + LONGEST_HOLD

            yield renew
        finally:
            # A process that took longer no longer holds it.
            with suppress(LockError):
                lock.release()

    def _get(self, keys: Sequence[str]) -> list[str]:
        values = read_together(self.log.client, [("GET", key) for key in keys])
        return [value.decode() if value else "" for value in values]

    def _keys(self, stream: StreamId) -> list[str]:
        key = self.log.key(stream)
        return [key, f"{key}:receipts", f"{key}:aside"]


def _decode(flat: Sequence[bytes]) -> dict[str, str]:
    values = [value.decode() for value in flat]
    return dict(zip(values[::2], values[1::2], strict=True))


def _pairs(values: Mapping[str, str]) -> list[str | int]:
    return [len(values), *(part for pair in values.items() for part in pair)]
