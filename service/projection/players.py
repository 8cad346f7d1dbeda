"""The list of players: by name, and by the beginning of any word of a name.

    list-of-players   sorted set: a line for each word of a player's name, from that word on

Names are compared without case and accents. Those who are erased or merged into others have no
line. A name may change before its lines do, so names are looked up again on reading.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import redis

from service.errors import BadValue
from service.log.interface import EventLog
from service.log.values import Pointer
from service.player.state import KIND, PlayerState, fold, stream_of
from service.projection.generation import Current
from service.projection.namesakes import namesake_lines
from service.projection.sorted_lists import Line, Lines

log = logging.getLogger(__name__)

LIST: Final = "list-of-players"
WORDS: Final = 6
"""By how many words of a name a player is found: the first ones."""
CHUNK: Final = 200
LOOKED_AT: Final = 2000
"""How many lines are looked at for one page at most."""
_WORD: Final = re.compile(r"[^\W_]+")
_PLACE: Final = re.compile(r"\S+ [a-z0-9]{1,100} [01] \d+")

Names = Callable[[Iterable[str]], Mapping[str, str]]
"""Tells the names of players by their ids."""


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """A player as the list shows them; `registered_at` is milliseconds since 1970 UTC."""

    id: str
    name: str
    claimed: bool
    registered_at: int


class PlayerPage(NamedTuple):
    """Players by name, and where the next page begins; None after the last."""

    players: list[ListedPlayer]
    next_cursor: str | None


class PlayerList:
    """The projected list of players; it lags behind the log as the list of games does."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self.lines = Lines(store, "players")
        self._current = Current(store)

    def write(
        self, named: Iterable[tuple[PlayerState, str | None]], generation: int | None = None
    ) -> None:
        """Write these players with their names; see `Lines.write`."""
        self.lines.write((line for one in named for line in _lines(*one)), generation)

    def page(
        self, names: Names, name: str = "", cursor: str | None = None, limit: int = 50
    ) -> PlayerPage:
        """Up to `limit` players of whose names some word and what follows begins like `name`.

        A page may hold fewer and still have a next one. Raises BadValue for a bad cursor.
        """
        if cursor is not None and not _PLACE.fullmatch(cursor):
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        sought = "_".join(words(name)).encode()
        return self._current.read(
            lambda base: self._page(f"{base}{LIST}", names, sought, cursor, limit)
        )

    def _page(
        self, key: str, names: Names, sought: bytes, cursor: str | None, limit: int
    ) -> PlayerPage:
        found: list[ListedPlayer] = []
        bound = b"[" + sought if cursor is None else b"(" + cursor.encode()
        for _ in range(LOOKED_AT // CHUNK):
            members: Any = self.store.zrangebylex(key, bound, b"[" + sought + b"\xff", 0, CHUNK)
            for place, player in _players(members, names, sought.decode()):
                if len(found) == limit:
                    return PlayerPage(found, bound[1:].decode())
                found += [player] if player is not None else []
                bound = b"(" + place
            if len(members) < CHUNK:
                return PlayerPage(found, None)
        return PlayerPage(found, bound[1:].decode())


class PlayerFollower:
    """A follower of the projector (`service.projection.projector.Follower`)."""

    kind: Final = KIND

    def __init__(self, events: EventLog, players: PlayerList) -> None:
        self.events = events
        self.list = players

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """List the players these pointers name; doing it again changes nothing."""
        ids = list(dict.fromkeys(pointer.stream.id for pointer in pointers))
        self.list.write(with_names(self.events, ids))


def _players(
    members: Sequence[bytes], names: Names, sought: str
) -> Iterator[tuple[bytes, ListedPlayer | None]]:
    """Each line with its player; None for one whose name is another, or told already."""
    split = [member.decode().split(" ") for member in members]
    known = names(id for _, id, _, _ in split)
    for member, (text, id, claimed, at) in zip(members, split, strict=True):
        # Of all words that fit, the first one's line tells the player.
        told = next((one for one in starts(known[id]) if one.startswith(sought)), None)
        player = ListedPlayer(id, known[id], claimed == "1", int(at))
        yield member, player if told == text else None


def with_names(events: EventLog, ids: Sequence[str]) -> list[tuple[PlayerState, str | None]]:
    """The players of these ids with their own names; one who cannot be read is left out."""
    try:
        found = _states(events, ids)
    except redis.RedisError:
        raise
    except Exception:
        found = [state for id in ids for state in _readable(events, id)]
    names = events.attributes([(stream_of(state.id), "name") for state in found])
    return list(zip(found, names, strict=True))


def _states(events: EventLog, ids: Sequence[str]) -> list[PlayerState]:
    recorded = events.read_each([stream_of(id) for id in ids])
    states = [fold(id, entries) for id, entries in zip(ids, recorded, strict=True)]
    return [state for state in states if state is not None]


def _readable(events: EventLog, id: str) -> list[PlayerState]:
    try:
        return _states(events, [id])
    except redis.RedisError:
        raise
    except Exception:
        log.exception("player %s cannot be read", id)
        return []


def words(name: str) -> list[str]:
    """The words of a name as they are compared.

    >>> words("Łukasz  d'Été")
    ['łukasz', 'd', 'ete']
    """
    parted = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in parted if not unicodedata.combining(char))
    return _WORD.findall(plain) or plain.split()


def starts(name: str) -> list[str]:
    """A name from each of its first words on.

    >>> starts("Ada King")
    ['ada_king', 'king']
    """
    found = words(name)
    return ["_".join(found[n:]) for n in range(min(len(found), WORDS))]


def _lines(state: PlayerState, name: str | None) -> Iterator[Line]:
    listed = not state.erased and state.merged_into is None and name is not None
    yield from namesake_lines(state, name if listed else None)
    texts = starts(name or "") if listed else []
    about = f"{state.id} {state.claimed:d} {state.registered_at}"
    # A word that a new name has no longer loses its line; who is new has none to lose.
    for number in range(WORDS):
        entity = f"{state.id} {number}"
        if number < len(texts):
            yield Line(entity, state.version, LIST, 0, f"{texts[number]} {about}")
        elif state.version > 1:
            yield Line(entity, state.version)
