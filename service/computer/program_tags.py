"""What a record says about the computer that played: that it is a program, which, how strong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Final

from engine.registry import find_variant
from engine.search.build import build_id
from service.computer.levels import LEVEL_OF

PROGRAM: Final = "program"
"""PGN's word for a player that is not a person (`WhiteType`)."""


def make_program_tags(variant: str, seats: Sequence[str | None]) -> dict[str, str]:
    """The tags of the computer's sides: `WhiteType`, and one with version and level.

    >>> make_program_tags("katruji", (None, "somebody"))
    {}
    """
    tags = {}
    for side, player in zip(find_variant(variant).sides, seats, strict=True):
        if player is not None and player in LEVEL_OF:
            tags[f"{side}Type"] = PROGRAM
            tags[f"{side}Program"] = f"{name_program()}, level {LEVEL_OF[player].number}"
    return tags


@cache
def name_program() -> str:
    """The program's name, its version, and the build of its search (`engine.search.build_id`)."""
    return f"Movelog {version('movelog')}, search {build_id()}"
