"""Slots for the imports that a player may have: one each, from the first byte of its upload.

movelog:{imports}:under-way:<player>   set: ids of the player's imports; those that have ended
                                       are removed when it is read
movelog:{imports}:uploads:<player>     sorted set: the uploads under way, by when the leases of
                                       their slots expire
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from time import monotonic
from typing import Final

from service.imports.errors import TooManyImports
from service.jobs.player_jobs import PlayerJobs
from service.jobs.store import Jobs
from service.storage.cache_writes import cache_writes

PREFIX: Final = "movelog:{imports}:"
RENEWED: Final = 4
"""How often an upload renews its lease within the lease's duration."""
SCRIPT: Final = files("service.imports").joinpath("reserve_slot.lua").read_text()


class UploadSlots:
    """Slots of which each player has `most`; an upload silent for `lease` seconds loses its own."""

    def __init__(self, jobs: Jobs, most: int, lease: float) -> None:
        self.jobs = jobs
        self.player_jobs = PlayerJobs(jobs, f"{PREFIX}under-way:")
        self.most = most
        self.lease = lease
        self._reserve = jobs.store.register_script(SCRIPT)

    @contextmanager
    def hold(self, player: str, id: str) -> Iterator[Callable[[], None]]:
        """Hold a slot for the upload of an import; raises TooManyImports.

        Yields the function to call while the upload goes on. An import that already has a slot
        takes no other. The slot is freed at the end, unless the import has begun (`keep`). The slot
        of a process that was killed is freed when its lease expires.
        """
        key, token = f"{PREFIX}uploads:{player}", secrets.token_hex(8)
        self.player_jobs.under_way(player)  # this removes those that have ended
        now = self.jobs.clock()
        keys = [f"{self.player_jobs.prefix}{player}", key]
        slots = [self.most, math.ceil(self.lease)]
        if not self._reserve(keys=keys, args=[id, token, now, self._until(now), *slots]):
            raise TooManyImports(self.most)
        renewed = monotonic()

        def renew() -> None:
            nonlocal renewed
            if monotonic() - renewed >= self.lease / RENEWED:
                with cache_writes(self.jobs.store) as pipeline:
                    pipeline.zadd(key, {f"{id} {token}": self._until(self.jobs.clock())})
                    pipeline.expire(key, math.ceil(self.lease))
                renewed = monotonic()

        try:
            yield renew
        finally:
            with cache_writes(self.jobs.store) as pipeline:
                pipeline.zrem(key, f"{id} {token}")

    def keep(self, player: str, id: str) -> None:
        """Let an import, whose job exists, have its slot until it has ended."""
        self.player_jobs.add(player, id)

    def _until(self, now: int) -> int:
        return now + math.ceil(1000 * self.lease)
