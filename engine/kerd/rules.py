"""What distinguishes the Kerd variants: `kerd-draft` is the list of its differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that the two texts do not share (rules page `kerd.md`, `kerd-draft`).

    `king_is_captured`: capturing the King wins, and no action is illegal for leaving it attacked.
    `region_binds_captures_only`: quiet moves and jumps cross the air freely, captures may not.
    `commander_avenged`: the loss of a Commander, too, allows a recapture (Ruling R34).
    `executions`, `promotion`, `castling`: whether the game has them.
    """

    king_is_captured: bool
    region_binds_captures_only: bool
    commander_avenged: bool
    executions: bool
    promotion: bool
    castling: bool


RULEBOOK: Final = Rules(
    king_is_captured=False,
    region_binds_captures_only=False,
    commander_avenged=False,
    executions=True,
    promotion=True,
    castling=True,
)
"""`kerd`: the 1.0 rulebook."""

DRAFT: Final = Rules(
    king_is_captured=True,
    region_binds_captures_only=True,
    commander_avenged=True,
    executions=False,
    promotion=False,
    castling=False,
)
"""`kerd-draft`: the earlier text."""
