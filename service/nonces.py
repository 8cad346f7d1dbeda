"""Nonces of secret choices: each good for one player's choice in one game, for ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.errors import NonceUsed, WrongExpectedVersion
from service.log.interface import EventLog
from service.log.values import Append, Event, StreamId

KIND = "nonce"


@dataclass(frozen=True, slots=True, kw_only=True)
class NonceReserved(Event):
    """A nonce belongs to a player's choice in a game; the stream's id is its keyed digest."""

    stored_name = "nonce-reserved/1"
    game: str


EVENTS: Final[Mapping[str, type[Event]]] = {NonceReserved.stored_name: NonceReserved}


def reserve(log: EventLog, digest: str, at: int, game: str, player: str) -> None:
    """Let a nonce, by its keyed digest, belong to a player's choice in a game; raises NonceUsed.

    Doing it again changes nothing. Two choices with one nonce would have equal commitments
    exactly where they are the same, and tell so.
    """
    stream = StreamId(KIND, digest)
    mine = NonceReserved(game=game)
    try:
        log.append(Append(stream=stream, expected=0, events=[mine], at=at, by=player))
    except WrongExpectedVersion:
        first = log.read(stream, limit=1)[0]
        if (first.event, first.by) != (mine, player):
            raise NonceUsed from None
