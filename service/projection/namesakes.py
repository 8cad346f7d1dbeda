"""Players as they are shown: by name, with a mark where somebody could take them for another.

    namesakes   sorted set: a line `digest id odd` for each key of a player's name

Players whose names have a key in common (`service.player.names.skeleton`) stand together there.
The name of an `odd` one could not be chosen today; it comes from a record or an old archive, and is
always marked. Players who were erased or merged into another have no line. The lines lag behind the
log as the list of players does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

import redis

from service.player.admins import OPERATOR
from service.player.names.name_policy import NOBODY, is_plain
from service.player.names.shown import ShownName
from service.player.names.skeleton import lookalike_keys
from service.player.repository import Players
from service.player.state import PlayerState
from service.projection.generation import Current
from service.projection.sorted_lists import Line

NAMESAKES: Final = "namesakes"
MOST_KEYS: Final = 2
SHORTEST: Final = 4
"""Characters of an id that a mark has; more where two marks would be the same."""


NO_NAME: Final = ShownName(NOBODY)


class Namesakes:
    """Tells under which names, with which marks, players are shown."""

    def __init__(self, store: redis.Redis, players: Players) -> None:
        self.players = players
        self._current = Current(store)

    def shown(self, ids: Iterable[str | None]) -> dict[str, ShownName]:
        """The names of these players by id, as `Players.names` has them, with their marks.

        One who is merged into another is shown as that one.
        """
        known = self.players.known(ids)
        marks = self._marks({one: name for one, name in known.values() if name is not None})
        return {
            id: NO_NAME if name is None else ShownName(name, marks.get(one))
            for id, (one, name) in known.items()
        }

    def _marks(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """The marks of those of these players who need one, in one round trip or two."""
        asked = [(id, digest) for id, name in names.items() for digest in digests(name)]

        def ask_for_two(ask: Any, base: str) -> None:
            for _, digest in asked:
                ask.zrangebylex(f"{base}{NAMESAKES}", f"[{digest} ", f"({digest}!", 0, 2)

        found = self._current.fetch(ask_for_two) if asked else []
        alike = [
            (id, digest)
            for (id, digest), members in zip(asked, found, strict=True)
            if any(_is_other(member, id) or member.endswith(b"1") for member in members)
        ]
        return self._distinct(alike)

    def _distinct(self, alike: list[tuple[str, str]]) -> Mapping[str, str]:
        """Marks that no other player of the same key has: longer than the ids' common part."""

        def ask_for_neighbours(ask: Any, base: str) -> None:
            key = f"{base}{NAMESAKES}"
            for id, digest in alike:
                ask.zrevrangebylex(key, f"({digest} {id} ", f"[{digest} ", 0, 1)
                ask.zrangebylex(key, f"({digest} {id}!", f"({digest}!", 0, 1)

        found = self._current.fetch(ask_for_neighbours) if alike else []
        lengths = dict.fromkeys((id for id, _ in alike), SHORTEST)
        for (id, _), before, after in zip(alike, found[::2], found[1::2], strict=True):
            for member in (*before, *after):
                lengths[id] = max(lengths[id], _shared(id, _id(member)) + 1)
        return {id: id[:length].upper() for id, length in lengths.items()}


def namesake_lines(state: PlayerState, name: str | None) -> Iterator[Line]:
    """Where a player stands, called so or not listed at all."""
    keys = digests(name) if name is not None else []
    # The operator's own admin has a name of the service rightly.
    odd = name is not None and state.registered_by != OPERATOR and not is_plain(name)
    for number in range(MOST_KEYS):
        entity = f"{state.id} key {number}"
        if number < len(keys):
            yield Line(entity, state.version, NAMESAKES, 0, f"{keys[number]} {state.id} {odd:d}")
        elif state.version > 1:
            yield Line(entity, state.version)


def digests(name: str) -> list[str]:
    """The keys of a name, each as short as the others."""
    return [
        blake2b(key.encode(errors="replace"), digest_size=10).hexdigest()
        for key in lookalike_keys(name)
    ]


def _shared(one: str, other: str) -> int:
    """How many characters two ids begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


def _id(member: bytes) -> str:
    return member.split(b" ")[1].decode()


def _is_other(member: bytes, id: str) -> bool:
    return _id(member) != id
