"""Asking for what a tournament's command began to be finished."""

from __future__ import annotations

from service.ids import derived_id
from service.jobs.kinds import ROUNDS
from service.jobs.queue import JobQueue


def ask_to_carry_on(queue: JobQueue, tournament: str, version: int) -> None:
    """Have what there is to do since `version` of a tournament done; asking twice is one job."""
    # The id is no secret: it only has to be the same each time.
    id = derived_id(b"", ROUNDS, tournament, str(version))
    queue.submit(id, ROUNDS, {"tournament": tournament})
