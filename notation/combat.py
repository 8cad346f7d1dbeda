"""A capture broken down into plain values that JSON can hold, in the same form for every game."""

from __future__ import annotations

from typing import Final, TypedDict

SUCCEEDS: Final = "succeeds"
"""The verdict on a capture that nothing prevents, in every game."""


class ContributionFields(TypedDict):
    """The strength that one piece gives to its side of a combat."""

    piece: str
    space: str
    strength: int


class AssaultFields(TypedDict):
    """A capture from one approach, the last space before the target.

    `attackers` begins with the piece that captures, `defenders` with its target; supporters
    follow. `attack` and `defence` are their sums, `detail` is all of it as part of a sentence.
    `succeeds` may differ from what the sums say where the game's rules have exceptions.
    """

    approach: str
    attack: int
    defence: int
    succeeds: bool
    attackers: list[ContributionFields]
    defenders: list[ContributionFields]
    detail: str


CombatFields = TypedDict(
    "CombatFields",
    {
        "from": str,
        "to": str,
        "legal": bool,
        "verdict": str,
        "detail": str,
        "assaults": list[AssaultFields],
    },
)
"""A capture, legal or not, judged by the position alone.

`verdict` is stable and meant for programs, `detail` is the reason for it as part of a sentence.
`assaults` has one entry for each approach, the one considered best first; it is empty where no
approach leads to the target.
"""

CaptureFields = TypedDict(
    "CaptureFields",
    {"from": str, "to": str, "verdict": str, "attack": int, "defence": int},
)
"""A capture that a path leads to, whether it succeeds or fails.

`attack` and `defence` are the sums of the approach considered best, `verdict` as in a combat.
"""
