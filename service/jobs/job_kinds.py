"""The kinds of jobs; each has one function in `workers.job_functions`."""

from __future__ import annotations

from typing import Final

SCORING: Final = "scoring"
"""Score ended games, and tally them for tournaments: one job for many games."""

IMPORT: Final = "import"
"""Take in the records of an uploaded file."""

NOTICES: Final = "notices"
"""Tell the webhooks of ended games: one job for many games."""

GAME_NEWS: Final = "game-news"
"""Tell of what has happened in games that go on: one job for many games."""

LOW_CLOCK: Final = "low-clock"
"""Tell of a clock that runs low, when it does."""

TOURNAMENT_NEWS: Final = "tournament-news"
"""Tell of a tournament's round that is ready, or of its end."""

MAIL: Final = "mail"
"""Send one message to one player, once."""

DELIVERY: Final = "delivery"
"""Send one thing to one webhook, once."""

ROUNDS: Final = "rounds"
"""Finish what a tournament's arbiter has begun: pair a round, make its games, close ruled ones."""

ANALYSIS: Final = "analysis"
"""Search the positions of an analysis, one after the other."""

STALE: Final = "stale"
"""Ask again for the analyses that another build of the engine has made."""

PUZZLES: Final = "puzzles"
"""Look for puzzles in a game that is over and analysed."""

KINDS: Final = (
    SCORING,
    IMPORT,
    NOTICES,
    GAME_NEWS,
    LOW_CLOCK,
    TOURNAMENT_NEWS,
    DELIVERY,
    MAIL,
    ROUNDS,
    ANALYSIS,
    STALE,
    PUZZLES,
)

RUN_JOB: Final = "workers.run.run_job"
"""The function that RQ calls with a job's id, by name: the service does not import workers."""
