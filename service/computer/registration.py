"""Registers the computer's players like any others, under names that nobody else can have."""

from __future__ import annotations

from contextlib import suppress

from service.computer.levels import LEVELS
from service.errors import WrongExpectedVersion
from service.player.commands import Principal
from service.player.repository import Players

REGISTRAR = "movelog:computer"
"""The name in the log of the process that plays the computer's games."""


def register_computers(players: Players) -> None:
    """Register the computer's players that do not exist yet; calling it again changes nothing.

    Their tokens are given to nobody and kept nowhere.
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
