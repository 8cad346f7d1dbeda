"""The list of games, as it is written: by the projector, and by a rebuild beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

import redis

from service.game.state import GameState
from service.projection.errors import RebuildSuperseded
from service.projection.keys import (
    BUILDING,
    COUNTER,
    CURRENT,
    GENERATION,
    list_name,
    tally_name,
)
from service.projection.position_index import bucket_keys
from service.projection.summary import list_tallied, places, summarise

WRITE: Final = files("service.projection").joinpath("write.lua").read_text()
SWAP: Final = files("service.projection").joinpath("swap.lua").read_text()
CHUNK: Final = 1000


Survivors = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
"""Tells whom players were merged into, all the way; has nothing for others."""


def of_nobody(ids: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The survivors where nobody was merged into another."""
    return {}


class GameIndex:
    """Writes summaries; an older state never replaces a newer one, whoever comes first.

    There are generations of the whole index. One is current and read; a rebuild fills another
    and swaps them. Meanwhile the projector writes both, so that neither misses anything.
    """

    def __init__(self, store: redis.Redis, survivors: Survivors = of_nobody) -> None:
        self.store = store
        self.survivors = survivors
        self._write = store.register_script(WRITE)
        self._swap = store.register_script(SWAP)

    def write(self, states: Iterable[GameState], generation: int | None = None) -> None:
        """Write these games to every live generation, or to the one being built.

        Raises RebuildSuperseded when `generation` is no longer being built.
        """
        states = list(states)
        seats = {player for state in states for player in state.seats if player is not None}
        merged = self.survivors(seats)
        while True:
            pipeline = self.store.pipeline(transaction=False)
            for state in states:
                arguments = _arguments(state, merged, generation)
                self._write(keys=[CURRENT, BUILDING], args=arguments, client=pipeline)
            written = pipeline.execute()
            if generation is not None and not all(written):
                raise RebuildSuperseded(generation)
            # Players may be merged while this is written; whoever lists their games anew then
            # may have been here before.
            newest = self.survivors(seats)
            if newest == merged:
                return
            merged = newest

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
        keys += [f"{base}{name}" for name in ("games", "placed", "lists", "indexed", "counts")]
        if self.store.exists(f"{base}indexed"):
            keys += bucket_keys(base)
        for start in range(0, len(keys), CHUNK):
            self.store.unlink(*keys[start : start + CHUNK])


def _arguments(
    state: GameState, merged: Mapping[str, Sequence[str]], generation: int | None
) -> list[str | int]:
    summary = summarise(state)
    found = places(state)
    players = [value for by, value in found if by == "player"]
    found += [("player", into) for player in players for into in merged.get(player, ())]
    counts = [
        tally_name(state.variant, who, went)
        for went, player in list_tallied(state)
        for who in (player, *merged.get(player, ()))
    ]
    return [
        GENERATION,
        "" if generation is None else generation,
        state.id,
        state.version,
        summary.member,
        summary.to_json(),
        *(list_name(by, value) for by, value in dict.fromkeys(found)),
        *(f"+{name}" for name in dict.fromkeys(counts)),
    ]
