"""The function of each kind of job (`service.jobs.job_kinds`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from service.jobs.job_kinds import ANALYSIS, DELIVERY, IMPORT, NOTICES, ROUNDS, SCORING, STALE
from workers.analysis import analyse, ask_again
from workers.import_job import import_records
from workers.round_job import carry_on
from workers.scoring import score
from workers.task import Task
from workers.webhooks import deliver, notify

Function = Callable[[Task], Any]
"""Does the work and returns the job's outcome, a JSON value."""

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        SCORING: score,
        IMPORT: import_records,
        NOTICES: notify,
        DELIVERY: deliver,
        ROUNDS: carry_on,
        ANALYSIS: analyse,
        STALE: ask_again,
    }
)
