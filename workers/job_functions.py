"""The function of each kind of job (`service.jobs.job_kinds`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from service.jobs.job_kinds import (
    ANALYSIS,
    DELIVERY,
    GAME_NEWS,
    IMPORT,
    LARGE_ROUNDS,
    LOW_CLOCK,
    MAIL,
    NOTICES,
    PUZZLES,
    ROUNDS,
    SCORING,
    STALE,
    TOURNAMENT_NEWS,
)
from workers.analysis import analyse, request_again
from workers.game_news import send_game_notices, warn_of_low_clock
from workers.import_job import import_records
from workers.mail import send_mail
from workers.puzzle_job import find_puzzles
from workers.round_job import carry_on, make_large_round
from workers.scoring import score
from workers.task import Task
from workers.tournament_news import send_tournament_notices
from workers.webhooks import deliver, notify

Function = Callable[[Task], Any]
"""Does the job's work and returns its outcome, a JSON value."""

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        SCORING: score,
        IMPORT: import_records,
        NOTICES: notify,
        GAME_NEWS: send_game_notices,
        LOW_CLOCK: warn_of_low_clock,
        TOURNAMENT_NEWS: send_tournament_notices,
        DELIVERY: deliver,
        MAIL: send_mail,
        ROUNDS: carry_on,
        LARGE_ROUNDS: make_large_round,
        ANALYSIS: analyse,
        STALE: request_again,
        PUZZLES: find_puzzles,
    }
)
