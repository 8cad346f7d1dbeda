"""The names of Kerd's squares and pieces."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.kerd.board import (
    BISHOP,
    COMMANDER,
    HUSSAR,
    JUMPER,
    KING,
    PAWN,
    QUEEN,
    SCOUT,
    SQUARES,
    TOWER,
    file_of,
    rank_of,
)

NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {at: "abcdefghijkl"[file_of(at)] + str(rank_of(at) + 1) for at in SQUARES}
)
"""The name of each square."""
SQUARE_OF: Final[Mapping[str, int]] = MappingProxyType({name: at for at, name in NAMES.items()})
"""The square of each name."""
SQUARE: Final = "[a-l](?:1[0-2]|[1-9])"
"""A square's name as a regular expression."""

LETTERS: Final[Mapping[int, str]] = MappingProxyType(
    {
        KING: "K",
        QUEEN: "Q",
        TOWER: "T",
        JUMPER: "J",
        SCOUT: "S",
        HUSSAR: "H",
        BISHOP: "B",
        COMMANDER: "C",
        PAWN: "P",
    }
)
"""The letter of each kind; moves are written without the Pawn's."""
KIND_OF: Final[Mapping[str, int]] = MappingProxyType({v: k for k, v in LETTERS.items()})
"""The kind of each letter."""
SPOKEN: Final[Mapping[int, str]] = MappingProxyType(
    {
        KING: "King",
        QUEEN: "Queen",
        TOWER: "Tower",
        JUMPER: "Jumper",
        SCOUT: "Scout",
        HUSSAR: "Hussar",
        BISHOP: "Bishop",
        COMMANDER: "Commander",
        PAWN: "Pawn",
    }
)
"""The kinds as sentences name them."""
