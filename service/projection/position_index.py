"""The indexes of positions, as they are written: by the projector, and by a rebuild beside it.

Two for each generation, both in buckets of many positions, which Redis keeps compactly:

    next:<bucket>   hash: position, result and action → in how many games
    seen:<bucket>   sorted set, all with score 0: position or material, then the game's member

A bucket is the first two bytes of a digest (`service.projection.contribution`), the fields and
members begin with the rest. `indexed` is a hash from game to what it has contributed: its version
and the fingerprint, so that nothing is counted twice and all of it can be taken back (by a game
that was reopened and goes on, say, whose fingerprint is empty).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any, Final

import redis

from service.game.evolve import fold
from service.game.repository import stream_of
from service.game.state import GameState
from service.log.interface import EventLog
from service.projection.contribution import NOTHING, Contribution, contribution, fingerprint
from service.projection.errors import RebuildSuperseded
from service.projection.keys import BUILDING, CURRENT, GENERATION
from service.projection.summary import member_of

CONTRIBUTE: Final = files("service.projection").joinpath("contribute.lua").read_text()
BUCKETS: Final = 2**16
GONE: Final = -1
RACED: Final = 0
LETTERS: Final = {"1-0": "1", "0-1": "0", "1/2-1/2": "=", "*": "*"}
"""Results as the fields have them."""

Call = list[str | bytes | int]


def bucket(digest: bytes) -> tuple[str, bytes]:
    """The bucket of a digest, and what it begins with there."""
    return digest[:2].hex(), digest[2:]


def bucket_keys(base: str) -> Iterator[str]:
    """Every key that the buckets of a generation may have."""
    for number in range(BUCKETS):
        yield f"{base}next:{number:04x}"
        yield f"{base}seen:{number:04x}"


class PositionIndex:
    """Writes what games contribute; an older state never replaces a newer one."""

    def __init__(self, store: redis.Redis, events: EventLog) -> None:
        """`events` tells what a game contributed at an earlier version."""
        self.store = store
        self.events = events
        self._contribute = store.register_script(CONTRIBUTE)

    def write(self, states: Iterable[GameState], generation: int | None = None) -> None:
        """Write these games to every live generation, or to the one being built.

        Raises RebuildSuperseded when `generation` is no longer being built.
        """
        games = list(states)
        if generation is not None:
            if not self._write_all(games, str(generation)):
                raise RebuildSuperseded(generation)
            return
        live: Any = self.store.mget(CURRENT, BUILDING)
        current, building = live
        self._write_all(games, current.decode() if current else "0")
        if building is not None:
            self._write_all(games, building.decode())

    def _write_all(self, games: Sequence[GameState], generation: str) -> bool:
        """Whether the generation was still there."""
        left = games
        while left:
            calls = list(self._calls(left, generation))
            pipeline = self.store.pipeline(transaction=False)
            for _, arguments in calls:
                self._contribute(keys=[CURRENT, BUILDING], args=arguments, client=pipeline)
            answers = pipeline.execute()
            if GONE in answers:
                return False
            # Another projector was there in between: look again at what it has left.
            left = [s for (s, _), answer in zip(calls, answers, strict=True) if answer == RACED]
        return True

    def _calls(
        self, games: Sequence[GameState], generation: str
    ) -> Iterator[tuple[GameState, Call]]:
        """The script's arguments for each game whose contribution is not the one known."""
        stored: Any = self.store.hmget(
            f"{GENERATION}{generation}:indexed", [state.id for state in games]
        )
        for state, known in zip(games, stored, strict=True):
            marker = known.decode() if known else ""
            version, _, before = marker.partition(" ")
            now = fingerprint(state)
            # Of a reopened game the version stays known, so that no older state comes back.
            nothing = not marker and not now and not state.reopened
            if nothing or (marker and int(version) >= state.version):
                continue
            changes: Call = [0]
            if now != before:
                earlier = self._earlier(state.id, int(version)) if before else NOTHING
                changes = _changes(member_of(state), earlier, contribution(state))
            new = f"{state.version} {now}" if now or state.reopened else ""
            yield state, [GENERATION, generation, state.id, marker, new, *changes]

    def _earlier(self, id: str, version: int) -> Contribution:
        stream = stream_of(id)
        state = fold(id, self.events.read(stream, 0, version))
        return contribution(state) if state is not None else NOTHING


def field(digest: bytes, result: str, action: str) -> tuple[str, bytes]:
    """Where it is counted how often an action was taken in a position with this result."""
    number, rest = bucket(digest)
    return number, rest + f"{LETTERS[result]}{action}".encode()


def _changes(member: str, before: Contribution, now: Contribution) -> Call:
    old = {field(position, before.result, action) for position, action in before.continuations}
    new = {field(position, now.result, action) for position, action in now.continuations}
    counts = [(*one, -1) for one in old - new] + [(*one, 1) for one in new - old]
    places = [("-", one) for one in before.seen - now.seen]
    places += [("+", one) for one in now.seen - before.seen]
    changes: Call = [len(counts)]
    for count in counts:
        changes += count
    for sign, digest in places:
        number, rest = bucket(digest)
        changes += (sign, number, rest + member.encode())
    return changes
