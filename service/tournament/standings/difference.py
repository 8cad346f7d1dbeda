"""The changes that a result, a correction or a ruling made to the standings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.tournament.standings.standing import Standing
from service.tournament.table import EntrantId


@dataclass(frozen=True, slots=True)
class Change:
    """An entrant's standing before and after; None if it was not, or is no longer, there."""

    entrant: EntrantId
    before: Standing | None
    after: Standing | None


def difference(before: Sequence[Standing], after: Sequence[Standing]) -> tuple[Change, ...]:
    """The entrants whose standing changed, in the order of the later standings; gone ones last."""
    old = {standing.entrant: standing for standing in before}
    new = {standing.entrant: standing for standing in after}
    return tuple(
        Change(entrant, old.get(entrant), new.get(entrant))
        for entrant in {**new, **old}
        if old.get(entrant) != new.get(entrant)
    )
