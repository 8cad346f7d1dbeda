"""A player's name as shown, with the mark that distinguishes the player from others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.player.names.name_policy import MARK, NOBODY


@dataclass(frozen=True, slots=True)
class ShownName:
    """A player's name and, if others look alike, the beginning of the player's id."""

    name: str
    mark: str | None = None

    def __str__(self) -> str:
        return self.name if self.mark is None else f"{self.name} {MARK}{self.mark}"


def shown_name(player: Mapping[str, Any], unknown: str = NOBODY) -> str:
    """The text for a player as given by the API: an object with `name` and `mark`.

    >>> shown_name({"name": "Ann Lee", "mark": "K7QF"}), shown_name({"name": None, "mark": None})
    ('Ann Lee #K7QF', '?')
    """
    if player.get("name") is None:
        return unknown
    return str(ShownName(player["name"], player.get("mark")))
