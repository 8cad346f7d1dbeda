"""Players of a log and of a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import pytest

from service.log.interface import EventLog
from service.player.admins import Admins
from service.player.authentication import Bearers
from service.player.errors import BadToken
from service.player.repository import Players

SECRET = b"s" * 32
NOBODY = "a" * 16


class Clock:
    """Milliseconds that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


def players_of(log: EventLog, clock: Callable[[], int], secret: bytes = SECRET) -> Players:
    """The players in this log, as a process of their own has them."""
    alone = Lock()
    return Players(log, clock, secret, Bearers(log, clock), Admins(log, clock, lambda: alone))


def refused(players: Players, bearer: str) -> bool:
    """Whether this bearer is nobody, with the same words for every reason."""
    with pytest.raises(BadToken) as error:
        players.bearers.authenticate(bearer)
    return str(error.value) == "this bearer token is not valid; ask an admin for a new one"
