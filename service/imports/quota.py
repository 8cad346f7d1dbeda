"""How much one player may upload, so that nobody fills the disk or keeps all others waiting.

movelog:{imports}:uploaded:<player>:<day>   bytes uploaded on a day (days since 1970 UTC), including
                                            those of uploads under way

`service.imports.upload_slots` decides how many imports a player may have under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import BinaryIO, Final

from service.imports.errors import UploadQuotaUsed
from service.imports.upload_slots import PREFIX, UploadSlots
from service.jobs.store import Jobs
from service.storage.cache_writes import cache_writes

DAY: Final = 24 * 3600
STEP: Final = 1 << 20
"""Bytes that an upload under way reserves at once."""


class MeteredStream:
    """An upload's stream whose bytes count towards its player's quota before they reach the disk.

    Once `kept` is set, what has been read counts for good. `renew` is called with every read.
    """

    def __init__(
        self,
        quota: UploadQuota,
        player: str,
        stream: BinaryIO,
        renew: Callable[[], None],
        *,
        exempt: bool,
    ) -> None:
        self.kept = False
        self._renew = renew
        self._exempt = exempt
        self._quota = quota
        self._stream = stream
        self._day = quota.jobs.clock() // 1000 // DAY
        self._key = f"{PREFIX}uploaded:{player}:{self._day}"
        self._size = 0
        self._reserved = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; raises UploadQuotaUsed, and what the stream raises."""
        data = self._stream.read(size)
        self._renew()
        self._size += len(data)
        while self._reserved < self._size:
            self._reserve()
        return data

    def settle(self) -> None:
        """Give back the bytes that were reserved but are not on the disk."""
        unused = self._reserved - (self._size if self.kept else 0)
        if unused:
            with cache_writes(self._quota.jobs.store) as pipeline:
                pipeline.decrby(self._key, unused)

    def _reserve(self) -> None:
        pipeline = self._quota.jobs.store.pipeline(transaction=False)
        pipeline.incrby(self._key, STEP)
        pipeline.expire(self._key, 2 * DAY)
        total = int(pipeline.execute()[0])
        self._reserved += STEP
        if total - STEP >= self._quota.most_bytes and not self._exempt:
            now = self._quota.jobs.clock() // 1000
            raise UploadQuotaUsed(self._quota.most_bytes, max(1, (self._day + 1) * DAY - now))


class UploadQuota:
    """What players may upload: `most_bytes` a day, for as many imports at once as `slots` allow.

    A file that begins below the limit may exceed it by less than a STEP.
    """

    def __init__(self, jobs: Jobs, most_bytes: int, slots: UploadSlots) -> None:
        self.jobs = jobs
        self.most_bytes = most_bytes
        self.slots = slots

    @contextmanager
    def meter(
        self, player: str, id: str, stream: BinaryIO, *, exempt: bool = False
    ) -> Iterator[MeteredStream]:
        """The metered stream of a player's upload for an import; raises TooManyImports.

        An `exempt` player, an admin, is refused nothing.
        """
        slot = nullcontext(_do_nothing) if exempt else self.slots.hold(player, id)
        with slot as renew:
            metered = MeteredStream(self, player, stream, renew, exempt=exempt)
            try:
                yield metered
            finally:
                metered.settle()


def _do_nothing() -> None:
    pass
