"""The import job: reads an uploaded file and takes its records in.

This module reads the file in batches, has helper processes (one for each core) parse and judge
them, hands them to `workers.record_importer`, and stores verdicts and a checkpoint after each
batch. A try that continues from a checkpoint repeats at most one batch, which changes nothing.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, TimeoutError
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from multiprocessing import get_context
from time import monotonic
from typing import Any, Final

from notation.section import Section
from service.imports.decompression import Packing
from service.imports.errors import ImportsError, TooManyRecords
from service.imports.parsing import ParsedRecord, parse_sections
from service.imports.repository import Imports
from service.imports.state import ImportEnding, ImportMode, ImportState
from service.imports.uploads import NO_ROOM
from service.imports.verdicts import BAD, Verdict, VerdictFile, compare_with_earlier, count_verdicts
from service.jobs.errors import LeaseLost
from service.jobs.fair_queue import Turn
from service.jobs.job import JobState
from service.jobs.store import TRIES
from service.operations.parent_death import die_with
from service.storage.capacity import must_wait
from service.storage.errors import StorageFull
from workers.errors import Interrupted, TurnOver
from workers.import_batches import Batch, Checkpoint, cut_batches
from workers.record_importer import Importer
from workers.task import Task

AT_ONCE: Final = 1 << 14
"""The largest file, in bytes, that is read without helpers: it takes a fraction of a second."""
BEAT: Final = 1.0
"""Seconds between two reports of the job, whatever it is reading or waiting for."""
PATIENCE: Final = 0.5
"""Seconds to wait for a helper before looking whether a report is due."""
MOST: Final = 2_000_000
"""The most records in a file."""
MOST_STRICT: Final = 50_000
"""The most records in a file of a strict import: the lists stand still while all of its games are
shown by one transaction."""


def import_records(task: Task) -> dict[str, Any]:
    """Carry out the import that has the job's id; returns its counts and how it ended.

    A strict import is judged completely before anything is imported; from its commit on, all of it
    is imported, however often the worker dies.
    """
    imports = task.service.imports
    state = imports.load(task.job.id)
    if state.ended is not None:
        return {"state": state.ended.state}
    try:
        return _report_end(_carry_out(task, imports, state))
    except (Interrupted, LeaseLost):
        raise
    except Exception as error:
        if task.job.tries >= TRIES and not must_wait(error):
            imports.give_up(state.id, f"{type(error).__name__}: {error}")
        raise


def _carry_out(task: Task, imports: Imports, state: ImportState) -> ImportState:
    """Carry out an import; returns its state once it has ended."""
    try:
        counts: dict[str, int] = {}
        if state.mode is ImportMode.STRICT and not state.committed:
            counts = ImportRun(task, imports, state, judging=True).run()
            if any(counts.get(status) for status in BAD):
                reason = "some records are bad, and a strict import accepts all or none"
                return imports.end(state, ImportEnding.REFUSED, counts, reason)
            state = imports.commit(state)
        if state.ended is None:
            counts = ImportRun(task, imports, state, judging=False).run()
            state = imports.end(state, ImportEnding.DONE, counts)
    except ImportsError as error:
        counts = imports.verdicts(state).tally()
        state = imports.end(state, ImportEnding.FAILED, counts, f"{error.code}: {error}")
    return state


def _report_end(state: ImportState) -> dict[str, Any]:
    assert state.ended is not None
    return {"state": state.ended.state, "counts": dict(state.ended.counts)}


class ImportRun:
    """One way through a file, from where an earlier try left off."""

    def __init__(self, task: Task, imports: Imports, state: ImportState, *, judging: bool) -> None:
        self.task = task
        self.imports = imports
        self.state = state
        self.importer = Importer(task.service, state, self._report_in_time)
        self.verdicts = imports.verdicts(state)
        self.at = self._resume(judging)
        self.counts = Counter(self.at.counts or {})
        self.checked = monotonic()

    def run(self) -> dict[str, int]:
        """Go through the rest of the file; returns how many games got which verdict.

        Raises LeaseLost, Interrupted, TurnOver, ImportsError, and StorageFull if games must wait
        until there is room.
        """
        self._check_room()
        begun = self.state.begun
        packing = Packing(begun.packing)
        earlier = _Earlier(self.imports.earlier(self.state), self._report_in_time)
        small = packing is Packing.NONE and begun.size <= AT_ONCE
        # Records that are only judged are not listed.
        listen = None if self.at.judging else self.task.service.handover.listener
        with (
            self.imports.uploads.unpacked(
                self.state.id, packing, self.at.unread, self._report_in_time
            ) as file,
            start_helpers(partial(parse_sections, listen=listen), small=small) as submit,
        ):
            # Skipping what an earlier try did is nobody's turn.
            turn = Turn()
            for batch, prepared in self._prepare_batches(cut_batches(file, self.at), submit):
                if batch.within is not None:
                    self.at = replace(self.at, within=asdict(batch.within), passed=batch.passed)
                else:
                    self._check_room()
                    handle = (
                        self.importer.judge if self.at.judging else self.importer.import_records
                    )
                    made = handle(prepared, self.at.number)
                    self._keep(
                        batch, [compare_with_earlier(v, earlier.find_verdict(v)) for v in made]
                    )
                self._check_turn(turn)
        return dict(self.counts)

    def _prepare_batches(
        self, cut: Iterator[Batch], submit: Callable[[list[Section]], Future[list[ParsedRecord]]]
    ) -> Iterator[tuple[Batch, list[ParsedRecord]]]:
        """Batches with the helpers' results, in order; some are always under way."""
        under_way: deque[tuple[Batch, Future[list[ParsedRecord]]]] = deque()
        ahead = 2 * (os.cpu_count() or 1)
        for batch in cut:
            if batch.sections:
                under_way.append((batch, submit(batch.sections)))
            while len(under_way) > (ahead if batch.sections else 0):
                first, future = under_way.popleft()
                yield first, self._wait_for_result(future)
            if batch.within is not None:
                yield batch, []
        for batch, future in under_way:
            yield batch, self._wait_for_result(future)

    def _wait_for_result(self, future: Future[list[ParsedRecord]]) -> list[ParsedRecord]:
        while True:
            try:
                return future.result(PATIENCE)
            except TimeoutError:
                self._report_in_time()

    def _report_in_time(self) -> None:
        """Report if it is time to; raises as `Task.report_progress` does."""
        if monotonic() - self.checked >= BEAT:
            self._check()

    def _check(self) -> None:
        self.checked = monotonic()
        self._report()

    def _report(self, note: str = "") -> None:
        self.task.report_progress(self.at.passed, self.state.begun.size, note)

    def _check_turn(self, turn: Turn) -> None:
        """Raise TurnOver if it is another player's turn."""
        if turn.is_over(self.imports.fair_queue, self.task.job):
            if self.at.within is not None:
                self._save()
            self.imports.fair_queue.put_back(self.task.job)
            raise TurnOver

    def _check_room(self) -> None:
        """Raise StorageFull, and say so, if games to import would take the room others need."""
        if self.at.judging:
            return
        try:
            self.imports.uploads.check_room()
        except StorageFull:
            self._report(NO_ROOM)
            raise

    def _hold(self) -> None:
        """Raise LeaseLost if another worker has taken over and now owns the verdicts' file.

        If the job was cancelled, what had been imported by then is still recorded.
        """
        try:
            self._check()
        except LeaseLost as lost:
            if lost.state != JobState.CANCELLED:
                raise

    def _keep(self, batch: Batch, verdicts: Sequence[Verdict]) -> None:
        """Write down verdicts, and record that all up to the end of this batch is done."""
        # Only strict imports are judged first. One that is committed is carried out, whatever its
        # size.
        most = MOST_STRICT if self.at.judging else MOST
        if self.at.number + len(verdicts) > most + 1:
            raise TooManyRecords(most)
        self._hold()
        self.counts += count_verdicts(verdicts)
        self.at = replace(
            self.at,
            offset=batch.sections[-1].end,
            line=batch.line,
            number=self.at.number + len(verdicts),
            verdicts=self.verdicts.add(verdicts),
            passed=batch.passed,
            counts=dict(self.counts),
            within=None,
        )
        self._save()

    def _save(self) -> None:
        self.task.keep(self.at.passed, self.state.begun.size, self.at.to_json())

    def _resume(self, judging: bool) -> Checkpoint:
        """Return where to resume: the start if the last try was in the other phase or lost its
        file.
        """
        kept = self.task.job.checkpoint
        at = Checkpoint(**kept) if kept else Checkpoint(judging)
        if at.judging == judging and self.verdicts.resume(at.verdicts):
            return at
        self.verdicts.resume(0)
        return Checkpoint(judging)


class _Earlier:
    """The verdicts of an earlier import of the same file, read alongside."""

    def __init__(self, file: VerdictFile | None, beat: Callable[[], None]) -> None:
        self._lines = (verdict for verdict, _ in file.lines()) if file else iter(())
        self._beat = beat
        self._last: Verdict | None = None

    def find_verdict(self, verdict: Verdict) -> Verdict | None:
        """Return the earlier verdict on the game of this number; call in rising order."""
        while self._last is None or self._last["number"] < verdict["number"]:
            self._beat()
            self._last = next(self._lines, None)
            if self._last is None:
                return None
        return self._last if self._last["number"] == verdict["number"] else None


@contextmanager
def start_helpers(
    parse: Callable[[list[Section]], list[ParsedRecord]], *, small: bool
) -> Iterator[Callable[[list[Section]], Future[list[ParsedRecord]]]]:
    """A function that has sections parsed by `parse`: in processes, unless the file is `small`.

    The processes end with the context, whatever they are doing.
    """
    if small:
        yield partial(_prepare_at_once, parse)
        return
    pool = ProcessPoolExecutor(
        os.cpu_count(), get_context("fork"), initializer=die_with(os.getpid())
    )
    try:
        yield lambda cut: pool.submit(parse, cut)
    finally:
        # Until Python 3.14 there is no public way to end busy processes.
        at_work = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for helper in at_work:
            helper.kill()


def _prepare_at_once(
    parse: Callable[[list[Section]], list[ParsedRecord]], cut: list[Section]
) -> Future[list[ParsedRecord]]:
    future: Future[list[ParsedRecord]] = Future()
    future.set_result(parse(cut))
    return future
