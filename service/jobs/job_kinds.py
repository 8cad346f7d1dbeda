"""The kinds of jobs; each has one function in `workers.job_functions`."""

from __future__ import annotations

from typing import Final

SCORING: Final = "scoring"
"""Score ended games, and tally them for tournaments: one job for many games."""

IMPORT: Final = "import"
"""Import the records of an uploaded file."""

NOTICES: Final = "notices"
"""Notify webhooks of ended games: one job for many games."""

GAME_NEWS: Final = "game-news"
"""Notify of what has happened in running games: one job for many games."""

LOW_CLOCK: Final = "low-clock"
"""Notify of a clock that runs low, when it does."""

TOURNAMENT_NEWS: Final = "tournament-news"
"""Notify of a tournament's round that is ready, or of its end."""

MAIL: Final = "mail"
"""Send one message to one player, once."""

DELIVERY: Final = "delivery"
"""Send one thing to one webhook, once."""

ROUNDS: Final = "rounds"
"""Finish what an arbiter has begun: pair a round, make its games, close those ruled on."""

LARGE_ROUNDS: Final = "large-rounds"
"""Pair a round of so many players that it takes long, and make its games."""

ANALYSIS: Final = "analysis"
"""Search the positions of an analysis one after another."""

STALE: Final = "stale"
"""Request again the analyses that another build of the engine has made."""

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
    LARGE_ROUNDS,
    ANALYSIS,
    STALE,
    PUZZLES,
)

SENDING: Final = (DELIVERY, MAIL)
"""The kinds of jobs that send something; once they are done, they no longer hold what it was."""

FORGOTTEN: Final = (MAIL,)
"""The kinds of jobs that are forgotten once they are done. One that is created again sends nothing:
what was sent is remembered elsewhere (`service.mail.outbox`)."""

RUN_JOB: Final = "workers.run.run_job"
"""The name of the function that RQ calls with a job's id: the service does not import workers."""
