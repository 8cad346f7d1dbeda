"""The computer's players are registered as everybody is, under names that nobody else can have."""

from __future__ import annotations

from contextlib import suppress

from service.computer.levels import LEVELS
from service.errors import WrongExpectedVersion
from service.player.commands import Principal
from service.player.repository import Players

REGISTRAR = "movelog:computer"
"""Who the process that plays the computer's games is in the log."""


def register_computers(players: Players) -> None:
    """Register the computer's players where they are not there; again, it changes nothing.

    Their tokens are told to nobody, and kept nowhere.
    """
    for level in LEVELS:
        if not players.exists(level.player):
            with suppress(WrongExpectedVersion):
                players.register(
                    level.name,
                    Principal(REGISTRAR, None),
                    id=level.player,
                    reserved=True,
                )
