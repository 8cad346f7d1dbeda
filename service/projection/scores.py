"""How games went for a player: counts, and the longest streaks of wins, of losses, and unbeaten.

A game is a letter, and a row of games in the order of play is a text, since counting in texts is
fast.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from service.projection.summary import DRAWN, LOST, WON

UNCLEAR: Final = "u"
LETTERS: Final[Mapping[str | None, str]] = MappingProxyType({WON: "w", DRAWN: "d", LOST: "l"})
"""The letter of a game by how it went; in upper case where its day is known."""
STREAKS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {"winning": re.compile("W+"), "unbeaten": re.compile("[WD]+"), "losing": re.compile("L+")}
)
"""The kinds of streaks, and the games that each consists of."""
_DATED: Final = str.maketrans("", "", "wdlu")


@dataclass(frozen=True, slots=True)
class Streak:
    """Successive games of one kind: the longest streak there was, and the current one."""

    longest: int = 0
    current: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """Finished games of a player by how they went.

    `unclear` are those without a result, or with one player on both sides. `streaks` has each of
    STREAKS where the order of the games is known.
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    unclear: int = 0
    streaks: Mapping[str, Streak] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.won + self.drawn + self.lost + self.unclear


def letter_of(went: str | None, day: str) -> str:
    """The letter of a game with this outcome, on a day that is empty where it is unknown."""
    letter = LETTERS.get(went, UNCLEAR)
    return letter.upper() if day and went is not None else letter


def score_row(row: str) -> Score:
    """The score of a row of letters in the order of play.

    A game of an unknown day or with an unclear outcome neither lengthens nor ends a streak.

    >>> score_row("WWudDwL").streaks["winning"], score_row("LwWdD").streaks["unbeaten"]
    (Streak(longest=2, current=0), Streak(longest=2, current=2))
    """
    dated = row.translate(_DATED)
    streaks = {}
    for kind, games in STREAKS.items():
        found = [(match.end(), match.end() - match.start()) for match in games.finditer(dated)]
        longest = max((length for _, length in found), default=0)
        last, length = found[-1] if found else (-1, 0)
        streaks[kind] = Streak(longest, length if last == len(dated) else 0)
    won, drawn, lost = (row.count(one) + row.count(one.upper()) for one in LETTERS.values())
    return Score(won, drawn, lost, row.count(UNCLEAR), streaks)
