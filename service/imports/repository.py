"""Imports as shared by the API and the worker, which begin, view, commit and end them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from service.errors import NotFound
from service.ids import derived_id
from service.imports.commands import (
    BeginImport,
    CancelImport,
    CommitImport,
    EndImport,
    ImportCommand,
)
from service.imports.decide import PASSED, WHOLE, attributes, create, decide
from service.imports.decompression import Packing
from service.imports.quota import UploadQuota
from service.imports.state import ImportEnding, ImportMode, ImportState, fold
from service.imports.uploads import Received, Uploads
from service.imports.verdicts import VerdictFile
from service.jobs.errors import WrongJobState
from service.jobs.fair_queue import FairQueue
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import IMPORT
from service.jobs.queue import JobQueue
from service.log.chain import when
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Repository
from service.log.values import Append, Receipt, StreamId
from service.player.actor import Actor

KIND: Final = "import"
UPLOAD: Final = "upload"
"""The kind of streams without events whose attribute is the newest import of a file."""
FAILED: Final = frozenset({JobState.FAILED, JobState.QUARANTINED})


def stream_of(id: str) -> StreamId:
    """The stream of an import."""
    return StreamId(KIND, id)


class Imports(Repository[ImportState, BeginImport, ImportCommand, Actor]):
    """The imports in a log, their files and their jobs."""

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        secret: bytes,
        uploads: Uploads,
        queue: JobQueue,
        quota: UploadQuota,
    ) -> None:
        entity = Entity(kind=KIND, fold=fold, create=create, decide=decide, attributes=attributes)
        super().__init__(log, clock, entity)
        self.secret = secret
        self.uploads = uploads
        self.queue = queue
        self.quota = quota
        self.fair_queue = FairQueue(queue, IMPORT)

    def begin(
        self, id: str, received: Received, mode: ImportMode, by: str, receipt: Receipt | None
    ) -> ImportState:
        """Begin the import of an upload under this id and queue it; raises AlreadyDone."""
        command = BeginImport(
            mode=mode, size=received.size, sha256=received.sha256, packing=received.packing
        )
        with self.uploads.lock(id):
            # Another upload with the same key may have begun it: its file stays as it is.
            self.check_receipt(id, receipt)
            # The file is kept first: there must be no import without one.
            self.uploads.keep(id, received)
            state = self.create(id, command, Actor(by), receipt).state
        self.enqueue(id, by)
        return state

    def enqueue(self, id: str, by: str) -> None:
        """Queue the job of an import by this player; calling this twice gives one job."""
        self.queue.submit(id, IMPORT, {"by": by})
        self.quota.slots.keep(by, id)

    def job(self, state: ImportState) -> Job | None:
        """Return the job of an import; None long after its end, and just after its beginning."""
        with suppress(NotFound):
            return self.queue.jobs.get(state.id)
        return None

    def ensure_job(self, id: str) -> None:
        """Submit the job of an import that has not ended, unless it was submitted before.

        Raises NotFound for an unknown import.
        """
        state = self.load(id)
        if state.ended is None and self.job(state) is None:
            self.enqueue(id, state.by)

    def commit(self, state: ImportState) -> ImportState:
        """Record that all games of a strict import are to be imported; ended ones do not change."""
        return self.execute(state.id, CommitImport(), Actor(state.by)).state

    def end(
        self, state: ImportState, ending: ImportEnding, counts: Mapping[str, int], reason: str = ""
    ) -> ImportState:
        """Record how an import ended, unless it has ended already.

        An attribute of its stream says how far it got, if not to the end of its file.
        """
        passed = 0 if ending in WHOLE else self._passed(state)
        command = EndImport(ending=ending, counts=counts, passed=passed, reason=reason)
        state = self.execute(state.id, command, Actor(state.by)).state
        assert state.ended is not None
        if ending not in WHOLE or state.ended.state != ending:
            return state
        newest = {KIND: state.id}
        upload, at = self._upload(state), self.clock()
        self.log.append(
            Append(stream=upload, expected=0, events=(), at=at, by="", attributes=newest)
        )
        return state

    def is_complete(self, state: ImportState) -> bool:
        """Whether all games of an import are in the log.

        That is so if it is done, or if it failed and a later import of the same file is done.
        """
        if state.ended is None or state.ended.state == ImportEnding.DONE:
            return state.ended is not None
        (newest,) = self.log.attributes([(self._upload(state), KIND)])
        if newest is None:
            return False
        ended = self.load(newest).ended
        return ended is not None and ended.state == ImportEnding.DONE

    def give_up(self, id: str, reason: str) -> ImportState:
        """Record that an import's job has failed for good; games already imported remain."""
        state = self.load(id)
        return self.end(state, ImportEnding.FAILED, self.verdicts(state).tally(), reason)

    def cancel(self, id: str) -> ImportState:
        """Cancel an import; raises NotFound or CannotCancel.

        Its worker stops within a batch. Games already imported remain.
        """
        state = self.load(id)
        command = CancelImport(passed=self._passed(state))
        state = self.execute(id, command, Actor(state.by)).state
        job = self.job(state)
        if job is not None and job.state in (JobState.QUEUED, JobState.RUNNING):
            # Its worker may have just come to the end.
            with suppress(NotFound, WrongJobState):
                self.queue.jobs.cancel(id)
        return state

    def prune(self, before: int) -> tuple[int, int]:
        """Remove the originals of imports that ended before a time in milliseconds since 1970.

        The verdicts on their games are kept. Returns the number of files and of bytes removed.
        """
        sizes = []
        for stream in self.log.streams(KIND):
            state = self.load(stream.id)
            if state.ended_at is not None and state.ended_at < before:
                sizes.append(self.uploads.discard(state.id))
        return sum(map(bool, sizes)), sum(sizes)

    def verdicts(self, state: ImportState) -> VerdictFile:
        """The verdicts of an import."""
        return self.uploads.verdicts(state.id)

    def earlier(self, state: ImportState) -> VerdictFile | None:
        """The verdicts of the last import of the same file, if there was one."""
        (id,) = self.log.attributes([(self._upload(state), KIND)])
        return None if id in (None, state.id) else self.uploads.verdicts(str(id))

    def counts(self, state: ImportState) -> Mapping[str, int]:
        """The number of games of an ended import by verdict."""
        assert state.ended is not None
        # The command that cancels does not know what the worker was about to write.
        cancelled = state.ended.state == ImportEnding.CANCELLED
        return self.verdicts(state).tally() if cancelled else state.ended.counts

    def listed(self, state: ImportState) -> dict[str, Any]:
        """What a list shows of an import.

        Its `counts` are None if it was cancelled: only the verdicts themselves can be counted.
        """
        return _summary(state, None if state.ended is not None else self.job(state))

    def view(self, state: ImportState) -> dict[str, Any]:
        """What clients see of an import."""
        begun, ended = state.begun, state.ended
        job = None if ended is not None else self.job(state)
        counts = _counted(job) if ended is None else self.counts(state)
        games = sum(number for status, number in counts.items() if status != "changed")
        passed = job.progress[0] if job else self._passed(state)
        return _summary(state, job) | {
            "committed": state.committed,
            "sha256": begun.sha256,
            "packing": Packing(begun.packing),
            "progress": {"games": games, "bytes": min(passed, begun.size), "of": begun.size},
            "counts": _above_zero(counts),
            "reason": ended.reason if ended else _explain_wait(job),
        }

    def _passed(self, state: ImportState) -> int:
        """How many bytes of its file have been read for the games that have a verdict."""
        if state.ended is None:
            return sum(job.progress[0] for job in self.queue.jobs.get_each([state.id]))
        (passed,) = self.log.attributes([(stream_of(state.id), PASSED)])
        return state.begun.size if passed is None else int(passed)

    def _upload(self, state: ImportState) -> StreamId:
        return StreamId(UPLOAD, derived_id(self.secret, UPLOAD, state.begun.sha256))


def status(state: ImportState, job: Job | None) -> str:
    """Where an import stands, in one word: an Ending, `queued`, `running` or `failed`."""
    if state.ended is not None:
        return state.ended.state
    if job is None:
        return "committed" if state.committed else JobState.QUEUED
    return ImportEnding.FAILED if job.state in FAILED else job.state


def _summary(state: ImportState, job: Job | None) -> dict[str, Any]:
    ended = state.ended
    cancelled = ended is not None and ended.state == ImportEnding.CANCELLED
    return {
        "id": state.id,
        "state": status(state, job),
        "mode": state.mode,
        "by": state.by,
        "created_at": when(state.begun_at),
        "ended_at": None if state.ended_at is None else when(state.ended_at),
        "size": state.begun.size,
        "counts": None if cancelled else _above_zero(ended.counts if ended else _counted(job)),
    }


def _explain_wait(job: Job | None) -> str:
    """What an import under way waits for, or how its last try failed; empty otherwise."""
    return str(job.note or job.reason) if job else ""


def _counted(job: Job | None) -> Mapping[str, int]:
    """The number of games by verdict so far, for an import that is under way."""
    counts: Mapping[str, int] = ((job.checkpoint if job else None) or {}).get("counts", {})
    return counts


def _above_zero(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if number}
