"""The list of games, as it is written: by the projector, and by a rebuild beside it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Final

import redis

from service.game.state import GameState
from service.projection.errors import RebuildSuperseded
from service.projection.keys import BUILDING, COUNTER, CURRENT, GENERATION, list_name
from service.projection.position_index import bucket_keys
from service.projection.summary import places, summarise

WRITE: Final = files("service.projection").joinpath("write.lua").read_text()
SWAP: Final = files("service.projection").joinpath("swap.lua").read_text()
CHUNK: Final = 1000


class GameIndex:
    """Writes summaries; an older state never replaces a newer one, whoever comes first.

    There are generations of the whole index. One is current and read; a rebuild fills another
    and swaps them. Meanwhile the projector writes both, so that neither misses anything.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._write = store.register_script(WRITE)
        self._swap = store.register_script(SWAP)

    def write(self, states: Iterable[GameState], generation: int | None = None) -> None:
        """Write these games to every live generation, or to the one being built.

        Raises RebuildSuperseded when `generation` is no longer being built.
        """
        pipeline = self.store.pipeline(transaction=False)
        for state in states:
            arguments = _arguments(state, generation)
            self._write(keys=[CURRENT, BUILDING], args=arguments, client=pipeline)
        written = pipeline.execute()
        if generation is not None and not all(written):
            raise RebuildSuperseded(generation)

    def begin(self) -> int:
        """Begin a new generation beside the current one; an unfinished one is dropped."""
        generation: Any = self.store.incr(COUNTER)
        unfinished: Any = self.store.set(BUILDING, generation, get=True)
        if unfinished is not None:
            self._drop(int(unfinished))
        return int(generation)

    def swap(self, generation: int) -> None:
        """Let everybody read this generation from now on, and drop the one read before.

        Raises RebuildSuperseded when it is no longer being built.
        """
        before: Any = self._swap(keys=[CURRENT, BUILDING], args=[generation])
        if before is None:
            raise RebuildSuperseded(generation)
        self._drop(int(before))

    def _drop(self, generation: int) -> None:
        base = f"{GENERATION}{generation}:"
        names: Any = self.store.smembers(f"{base}lists")
        keys = [f"{base}list:{name.decode()}" for name in names]
        others: Any = self.store.smembers(f"{base}keys")
        keys += [f"{base}{name.decode()}" for name in others] + [f"{base}keys", f"{base}changed"]
        keys += [f"{base}games", f"{base}placed", f"{base}lists", f"{base}indexed"]
        if self.store.exists(f"{base}indexed"):
            keys += bucket_keys(base)
        for start in range(0, len(keys), CHUNK):
            self.store.unlink(*keys[start : start + CHUNK])


def _arguments(state: GameState, generation: int | None) -> list[str | int]:
    summary = summarise(state)
    return [
        GENERATION,
        "" if generation is None else generation,
        state.id,
        state.version,
        summary.member,
        summary.to_json(),
        *(list_name(by, value) for by, value in places(state)),
    ]
