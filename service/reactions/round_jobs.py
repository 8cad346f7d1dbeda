"""Jobs that finish what a tournament's command began: pair a round, create or close games."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from service.errors import NotFound
from service.ids import derived_id
from service.jobs.errors import WrongJobState
from service.jobs.fair_queue import FairQueue
from service.jobs.job_kinds import LARGE_ROUNDS, ROUNDS
from service.jobs.queue import JobQueue


class RoundJobs:
    """Submits the jobs of tournaments; players take turns with them.

    Rounds that take long to pair are in a queue of their own, in `large_turns`, so that they hold
    up no other round, and no game of a ruled board. A job counts as a turn of the player `by` whose
    command left the work.
    """

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.turns = FairQueue(queue, ROUNDS)
        self.large_turns = FairQueue(queue, LARGE_ROUNDS)

    def submit(self, tournament: str, version: int, by: str) -> None:
        """Queue the work that `version` of a tournament left; submitting twice makes one job."""
        arguments = {"tournament": tournament, "version": version, "by": by}
        self.queue.submit(round_job_id(tournament, version), ROUNDS, arguments)

    def resubmit(self, tournament: str, version: int, by: str) -> None:
        """Like `submit`, but also queue the job again if it has ended."""
        arguments = {"tournament": tournament, "version": version, "by": by}
        self._resubmit(round_job_id(tournament, version), ROUNDS, arguments)

    def resubmit_large(self, tournament: str, version: int, by: str, players: int) -> None:
        """Queue the pairing of a round of so many players, also if an earlier job for it has ended.

        It is requested at `version` of the tournament. Where two players have used the workers
        equally, the smaller round comes first.
        """
        arguments = {"tournament": tournament, "version": version, "by": by, "size": players}
        self._resubmit(large_round_job_id(tournament, version), LARGE_ROUNDS, arguments)

    def cancel_large(self, tournament: str, version: int) -> None:
        """Stop the pairing of a large round requested at `version`; does nothing if none is made.

        A worker that is computing it stops at its next report.
        """
        with suppress(NotFound, WrongJobState):
            self.queue.jobs.cancel(large_round_job_id(tournament, version))

    def _resubmit(self, id: str, kind: str, arguments: Mapping[str, Any]) -> None:
        try:
            self.queue.jobs.requeue(id)
        except NotFound:
            self.queue.submit(id, kind, arguments)
        except WrongJobState:
            # It is queued or running.
            return


def round_job_id(tournament: str, version: int) -> str:
    """The id of the job for a version of a tournament."""
    # It is not secret: it only has to be the same each time.
    return derived_id(b"", ROUNDS, tournament, str(version))


def large_round_job_id(tournament: str, version: int) -> str:
    """The id of the job that pairs the large round requested at a version of a tournament."""
    return derived_id(b"", LARGE_ROUNDS, tournament, str(version))
