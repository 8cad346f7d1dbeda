"""Players on a log, with a clock that a test sets."""

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
    """A clock in milliseconds that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


def players_of(log: EventLog, clock: Callable[[], int], secret: bytes = SECRET) -> Players:
    """The players in this log, as another process has them."""
    alone = Lock()
    return Players(log, clock, secret, Bearers(log, clock), Admins(log, clock, lambda: alone))


def refused(players: Players, bearer: str) -> bool:
    """Whether a bearer is refused, with the same words whatever the reason."""
    with pytest.raises(BadToken) as error:
        players.bearers.authenticate(bearer)
    return str(error.value) == "this bearer token is not valid; ask an admin for a new one"
