"""What a search has found in one position, as the log and the API have it. Pure.

Scores and chances are seen from the first side: positive is good for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line of actions from the position, with its score.

    `score` is in hundredths of the game's unit. `plies_to_end` is the number of plies after which
    the game is decided, None if it is not. `actions` are in coordinate form, `san` in short form.
    If choices are unknown, `lowest` and `highest` are the scores over the guesses, and `share` is
    the weight of the guesses in which no other action is clearly better.
    """

    score: int
    plies_to_end: int | None
    actions: tuple[str, ...]
    san: tuple[str, ...]
    lowest: int | None = None
    highest: int | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A searched position: whose turn it is, what was played there, and what is best.

    `side` is 0 or 1. `played` is the action of the game in this position, None at its end and
    outside a game. `choices` is the number of legal actions, 0 if the game is over. `chance` is the
    first side's winning chance, 0 to 1. `complete` says that the search completed its depth,
    `worlds` how many guesses of unknown choices there are (`engine.search.uncertain`).
    """

    side: int
    played: str | None
    choices: int
    depth: int
    selective_depth: int
    nodes: int
    seconds: float
    complete: bool
    worlds: int
    chance: float
    score: int
    plies_to_end: int | None
    lines: tuple[FoundLine, ...]

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        lines = [{name: getattr(line, name) for name in LINE} for line in self.lines]
        return {name: getattr(self, name) for name in FINDING} | {"lines": lines}


LINE: Final = tuple(one.name for one in fields(FoundLine))
FINDING: Final = tuple(one.name for one in fields(Finding))


def parse_finding(values: Mapping[str, Any]) -> Finding:
    """The finding that `Finding.to_json` wrote, also after a round trip through JSON."""
    lines = tuple(
        FoundLine(**{**line, "actions": tuple(line["actions"]), "san": tuple(line["san"])})
        for line in values["lines"]
    )
    return Finding(**{**values, "lines": lines})
