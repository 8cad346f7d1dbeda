"""Nonces of secret choices: each can be used for only one choice in one game, ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.errors import WrongExpectedVersion
from service.ids import derived_id
from service.log.beginning import Beginning, make_first_append
from service.log.declarations import event
from service.log.interface import EventLog
from service.log.values import Event, StreamId
from service.secrets.errors import NonceUsed

KIND = "nonce"


@event("nonce-reserved/1")
class NonceReserved(Event):
    """A nonce belongs to a side's choice in a game; the stream's id is derived from it."""

    game: str
    side: int


EVENTS: Final[Mapping[str, type[Event]]] = {NonceReserved.stored_name: NonceReserved}


class Nonces:
    """The nonces that were ever used, stored as keyed hashes that reveal nothing of them."""

    def __init__(self, log: EventLog, secret: bytes) -> None:
        self.log = log
        self.secret = secret

    def reserve(self, nonce: str, mine: NonceReserved, at: int, by: str) -> None:
        """Reserve a nonce for a choice; raises NonceUsed. Reserving it again changes nothing.

        Two equal choices with one nonce would have equal commitments, which would reveal them.
        """
        stream = StreamId(KIND, derived_id(self.secret, KIND, nonce))
        try:
            self.log.append(make_first_append(Beginning(stream, [mine], {}), at, by, None))
        except WrongExpectedVersion:
            first = self.log.read(stream, limit=1)[0]
            if (first.event, first.by) != (mine, by):
                raise NonceUsed from None
