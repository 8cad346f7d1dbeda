"""Handles jobs that were quarantined because every worker that tried them died."""

from __future__ import annotations

from service.imports.repository import Imports
from service.jobs.job import Job
from service.jobs.job_kinds import IMPORT, LARGE_ROUNDS, NOTICES, ROUNDS, SCORING
from service.jobs.queue import JobQueue
from service.reactions.ended_games import split_job
from service.tournament.repository import Tournaments


class QuarantinedJobHandler:
    """Ends what a quarantined job was for, so that nobody waits for it for ever."""

    def __init__(self, queue: JobQueue, imports: Imports, tournaments: Tournaments) -> None:
        self.queue = queue
        self.imports = imports
        self.tournaments = tournaments

    def handle(self, job: Job) -> None:
        """Fail the import, refuse the round, or split the job for ended games into single ones.

        Other kinds of jobs leave nothing behind. Handling a job twice changes nothing.
        """
        if job.kind in (SCORING, NOTICES):
            split_job(self.queue, job)
        elif job.kind == IMPORT:
            self.imports.give_up(job.id, job.reason)
        elif job.kind in (ROUNDS, LARGE_ROUNDS):
            tournament, version = job.arguments["tournament"], job.arguments["version"]
            self.tournaments.give_up(tournament, version, job.reason)
