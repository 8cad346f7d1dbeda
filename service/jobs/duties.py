"""Duties: background work, divided so that no kind of work waits for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

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


class Lane(StrEnum):
    """The RQ queues by name; a worker takes a hint from the first of its queues that has one."""

    SCORING = "movelog-scoring"
    PAIRING = "movelog-pairing"
    LARGE_PAIRING = "movelog-large-pairing"
    WEBHOOKS = "movelog-webhooks"
    MAIL = "movelog-mail"
    IMPORTS = "movelog-imports"
    PERSON = "movelog-analyses"
    """Analyses that somebody waits for."""
    BATCH = "movelog-batch"
    """Analyses that nobody waits for, and the search for puzzles."""


_LANES: Final = {
    SCORING: Lane.SCORING,
    ROUNDS: Lane.PAIRING,
    LARGE_ROUNDS: Lane.LARGE_PAIRING,
    NOTICES: Lane.WEBHOOKS,
    GAME_NEWS: Lane.WEBHOOKS,
    LOW_CLOCK: Lane.WEBHOOKS,
    TOURNAMENT_NEWS: Lane.WEBHOOKS,
    MAIL: Lane.MAIL,
    IMPORT: Lane.IMPORTS,
    ANALYSIS: Lane.PERSON,
    STALE: Lane.PERSON,
    PUZZLES: Lane.BATCH,
}

HINTED: Final = tuple(_LANES)
"""The kinds of jobs whose workers wait for hints in an RQ queue."""


def lane_of(kind: str, *, batch: bool) -> Lane | None:
    """The queue for the hints at such a job.

    None for deliveries, which their worker takes from the store by receiver, and for kinds of jobs
    from a newer version.
    """
    return Lane.BATCH if batch else _LANES.get(kind)


@dataclass(frozen=True, slots=True)
class Duty:
    """Some kinds of jobs and the process that works on them.

    `name` is what `movelog worker --only` takes, `process` is the name of the process under
    `movelog serve`. A `prompt` duty is one that people wait for: readiness is degraded while it is
    behind. Jobs of its `unhurried` kinds give way to the others, and nobody waits for them.
    """

    name: str
    process: str
    kinds: Sequence[str]
    lanes: Sequence[Lane]
    prompt: bool = False
    unhurried: Sequence[str] = ()


MAILS: Final = Duty("mail", "mailer", (MAIL,), (Lane.MAIL,))
"""Sending e-mail; it has a process only if mail is configured."""

DUTIES: Final = (
    Duty("scoring", "scorer", (SCORING,), (Lane.SCORING,), prompt=True),
    Duty("pairing", "pairer", (ROUNDS,), (Lane.PAIRING,), prompt=True),
    Duty("large-pairing", "large-pairer", (LARGE_ROUNDS,), (Lane.LARGE_PAIRING,)),
    Duty(
        "webhooks",
        "messenger",
        (NOTICES, GAME_NEWS, LOW_CLOCK, TOURNAMENT_NEWS, DELIVERY),
        (Lane.WEBHOOKS,),
    ),
    MAILS,
    Duty("imports", "importer", (IMPORT,), (Lane.IMPORTS,)),
    Duty(
        "analyses",
        "analyst",
        (ANALYSIS, STALE, PUZZLES),
        (Lane.PERSON, Lane.BATCH),
        unhurried=(PUZZLES,),
    ),
)
"""Every duty that has jobs; every kind of job and lane belongs to one."""

CLOCKS: Final = Duty("clocks", "timekeeper", (), (), prompt=True)
"""Letting flags fall: no jobs, since what is due is stored beside the games' streams."""

COMPUTER: Final = Duty("computer", "opponent", (), (), prompt=True)
"""Playing the computer's games: no jobs, since the games show what is to be done."""

PROCESSES: Final = (*DUTIES, CLOCKS, COMPUTER)
"""Every duty that somebody may wait for; each has its own process."""

ARCHIVE: Final = Duty("archive", "archivist", (), ())
"""Moving old games out of Redis; it has a process only if that is configured."""

ALL: Final = (*PROCESSES, ARCHIVE)
