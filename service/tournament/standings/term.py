"""The terms that standings can be ordered by, and the rule that defines each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.phrase import Phrase, phrase


class RankTerm(StrEnum):
    """One number of an entrant; higher is better."""

    MATCH_POINTS = "match-points"
    GAME_POINTS = "game-points"
    DIRECT_ENCOUNTER = "direct-encounter"
    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT_1 = "buchholz-cut-1"
    BUCHHOLZ_MEDIAN = "buchholz-median"
    SONNEBORN_BERGER = "sonneborn-berger"
    PROGRESSIVE = "progressive"
    WINS = "wins"
    GAMES_WON = "games-won"
    WINS_SECOND = "wins-second-side"
    GAMES_SECOND = "games-second-side"
    POINT_DIFFERENCE = "game-point-difference"
    OPPONENT_RATING = "average-opponent-rating"


class Edition(StrEnum):
    """Which FIDE Tie-Break Regulations (handbook C.07) apply, by the day they came into force."""

    AUGUST_2024 = "2024-08-01"
    MARCH_2026 = "2026-03-01"
    """Of its changes, the ceiling on what an unplayed round adds to one's own tie-breaks (16.4)."""


SCORES: Final = frozenset({RankTerm.MATCH_POINTS, RankTerm.GAME_POINTS})
"""What games are played for; the other terms break ties."""

RULES: Final[Mapping[RankTerm, Phrase]] = {
    RankTerm.MATCH_POINTS: phrase(
        "the sum of the match points that the scoring scheme gives for each round"
    ),
    RankTerm.GAME_POINTS: phrase("the sum of the game points of each round"),
    RankTerm.DIRECT_ENCOUNTER: phrase(
        "C.07 6: how many of those tied so far stand below by their own games"
    ),
    RankTerm.BUCHHOLZ: phrase("C.07 8.1: the sum of the opponents' scores"),
    RankTerm.BUCHHOLZ_CUT_1: phrase(
        "C.07 8.1, 14.1: the sum of the opponents' scores without the lowest"
    ),
    RankTerm.BUCHHOLZ_MEDIAN: phrase(
        "C.07 8.1, 14.3: without the lowest, then without the highest"
    ),
    RankTerm.SONNEBORN_BERGER: phrase(
        "C.07 9.1: each opponent's score times the points made against it"
    ),
    RankTerm.PROGRESSIVE: phrase("C.07 7.5: the sum of the scores after each round"),
    RankTerm.WINS: phrase("C.07 7.1: rounds that brought as much as a win, played or not"),
    RankTerm.GAMES_WON: phrase("C.07 7.2: games won over the board"),
    RankTerm.WINS_SECOND: phrase("C.07 7.4: games won over the board with the second side"),
    RankTerm.GAMES_SECOND: phrase("C.07 7.3: games played over the board with the second side"),
    RankTerm.POINT_DIFFERENCE: phrase("game points made less game points given, over all rounds"),
    RankTerm.OPPONENT_RATING: phrase(
        "C.07 10.1: the mean rating of the opponents played, rounded half up"
    ),
}
