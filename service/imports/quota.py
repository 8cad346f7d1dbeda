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
from service.storage.daily_counts import DailyCounts

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
        self._most_bytes = None if exempt else quota.most_bytes
        self._uploaded = quota.uploaded.of(player)
        self._stream = stream
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
            self._uploaded.give_back(unused)

    def _reserve(self) -> None:
        total = self._uploaded.add(STEP)
        self._reserved += STEP
        if self._most_bytes is not None and total - STEP >= self._most_bytes:
            raise UploadQuotaUsed(self._most_bytes, self._uploaded.seconds_left())


class UploadQuota:
    """What players may upload: `most_bytes` a day, for as many imports at once as `slots` allow.

    A file that begins below the limit may exceed it by less than a STEP.
    """

    def __init__(self, jobs: Jobs, most_bytes: int, slots: UploadSlots) -> None:
        self.uploaded = DailyCounts(jobs.store, jobs.clock, f"{PREFIX}uploaded:")
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
