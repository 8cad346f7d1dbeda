"""The boards by variant name. A new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.kerd.rules import DRAFT, RULEBOOK
from engine.registry import find_variant
from service.boards.board import Board
from service.boards.katruji import KatrujiBoard
from service.boards.kerak import KerakBoard
from service.boards.kerd import KerdBoard

BOARDS: Final[Mapping[str, Board]] = MappingProxyType(
    {
        "katruji": KatrujiBoard(),
        "kerak": KerakBoard(),
        "kerd": KerdBoard(RULEBOOK),
        "kerd-draft": KerdBoard(DRAFT),
    }
)


def find_board(name: str) -> Board:
    """The board of the variant with this name; raises `engine.errors.UnknownVariant`."""
    return BOARDS[find_variant(name).name]
