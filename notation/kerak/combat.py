"""Kerak's combats in the form that all games share."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kerak import combat as rules
from notation.combat import Assault, Combat, Contribution


def told(combat: rules.Combat) -> Combat:
    """A capture broken down, as JSON has it."""
    return {
        "from": combat.origin,
        "to": combat.target,
        "legal": combat.legal,
        "verdict": combat.verdict.value,
        "detail": combat.reason,
        "assaults": [_assault(assault) for assault in combat.assaults],
    }


def _assault(assault: rules.Assault) -> Assault:
    return {
        "approach": assault.approach,
        "attack": assault.attack,
        "defence": assault.defence,
        "succeeds": assault.succeeds,
        "attackers": _contributions(assault.attackers),
        "defenders": _contributions(assault.defenders),
        "detail": str(assault),
    }


def _contributions(given: Sequence[rules.Contribution]) -> list[Contribution]:
    return [{"piece": one.piece, "space": one.space, "strength": one.strength} for one in given]
