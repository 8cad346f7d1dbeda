"""How often the search played each action in an opening against itself, with the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

FOLDER: Final = Path(__file__).parent
WINS: Final = ("1-0", "1/2-1/2", "0-1")
"""The results in the order in which a file counts them."""
Results = Mapping[str, int]
"""Games by their results, those of `WINS`."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a file was made from: `games` by a `build` of the search, with `nodes` an action.

    `fewest` is the number of games below which a position is left out.
    """

    games: int
    nodes: int
    build: str
    fewest: int


@dataclass(frozen=True, slots=True)
class SelfPlayStatistics:
    """The actions that were played from positions, given by `Dialect.position_key`."""

    source: Source
    positions: Mapping[str, str]
    """The positions' lines without their keys, by key; they are parsed when needed."""

    def find(self, position_key: str) -> dict[str, Results]:
        """The actions in coordinate form, most played first; none for an unknown position."""
        found = self.positions.get(position_key)
        return {} if found is None else dict(map(_parse_action, found.split(";")))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The statistics that `to_text` wrote."""
        first, *lines = text.splitlines()
        positions = (line.partition(";") for line in lines)
        return cls(Source(**json.loads(first)), {key: rest for key, _, rest in positions})

    def to_text(self) -> str:
        """A line of JSON with the source, and a line for each position."""
        lines = [f"{key};{rest}" for key, rest in self.positions.items()]
        return "\n".join([json.dumps(asdict(self.source)), *lines, ""])


def write_actions(actions: Mapping[str, Results]) -> str:
    """The actions played from a position as written in a line, most played first."""
    by_games = sorted(actions.items(), key=lambda one: (-sum(one[1].values()), one[0]))
    return ";".join(
        " ".join([action, *(str(results[each]) for each in WINS)]) for action, results in by_games
    )


@cache
def read_statistics(variant: str) -> SelfPlayStatistics | None:
    """The statistics of a variant, None if there are none."""
    path = FOLDER / f"{variant}.txt"
    return SelfPlayStatistics.parse(path.read_text(encoding="utf-8")) if path.exists() else None


def _parse_action(text: str) -> tuple[str, Results]:
    action, *counts = text.split(" ")
    return action, dict(zip(WINS, map(int, counts), strict=True))
