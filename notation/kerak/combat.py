"""Kerak's combats in the form that all games share."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kerak import combat as rules
from notation.combat import (
    AssaultFields,
    CaptureFields,
    CombatFields,
    ContributionFields,
)


def describe_combat(combat: rules.Combat) -> CombatFields:
    """A capture broken down, as values that JSON can hold."""
    return {
        "from": combat.origin,
        "to": combat.target,
        "legal": combat.legal,
        "verdict": combat.verdict.value,
        "detail": combat.reason,
        "assaults": [_describe_assault(assault) for assault in combat.assaults],
    }


def describe_capture(combat: rules.Combat) -> CaptureFields:
    """A capture that a path leads to, with the sums of its best approach."""
    assert combat.best is not None
    return {
        "from": combat.origin,
        "to": combat.target,
        "verdict": combat.verdict.value,
        "attack": combat.best.attack,
        "defence": combat.best.defence,
    }


def _describe_assault(assault: rules.Assault) -> AssaultFields:
    return {
        "approach": assault.approach,
        "attack": assault.attack,
        "defence": assault.defence,
        "succeeds": assault.succeeds,
        "attackers": _describe_contributions(assault.attackers),
        "defenders": _describe_contributions(assault.defenders),
        "detail": assault.describe(),
    }


def _describe_contributions(
    given: Sequence[rules.StrengthContribution],
) -> list[ContributionFields]:
    return [{"piece": one.piece, "space": one.space, "strength": one.strength} for one in given]
