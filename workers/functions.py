"""The functions of the jobs by kind. A new kind is a line here and one in `service.jobs.kinds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from service.jobs.kinds import DELIVERY, IMPORT, NOTICES, ROUNDS, SCORING
from workers.importing import import_records
from workers.rounds import carry_on
from workers.scoring import score
from workers.task import Task
from workers.webhooks import deliver, notify, telling_of_its_end

Function = Callable[[Task], Any]
"""Does the work and returns the job's outcome, a JSON value."""

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        SCORING: score,
        IMPORT: telling_of_its_end(import_records),
        NOTICES: notify,
        DELIVERY: deliver,
        ROUNDS: carry_on,
    }
)
