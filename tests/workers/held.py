"""`python -m tests.workers.held FILE DUTY`: a worker whose jobs go only as far as a file says.

So a test that has to do something in the middle of a job has all the time that it needs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from runpy import run_module
from typing import Any, Final

from service.imports.verdicts import Verdict
from workers import stop_request
from workers.import_batches import Batch
from workers.import_job import ImportRun
from workers.task import Task

PAUSE: Final = 0.02
JUDGING: Final = "judging"
"""The phase of a strict import in which nothing is written yet."""
IMPORTING: Final = "importing"
"""The phase in which games are imported. Jobs of other kinds have one phase, named as the kind."""


@dataclass(frozen=True)
class Hold:
    """The file that says how far a job may go: a phase, and a share of its work from 0 to 1."""

    file: Path

    def at(self, phase: str, share: float) -> None:
        """Let jobs stand still in this phase once they have done this share of it."""
        draft = self.file.with_suffix(".new")
        draft.write_text(f"{phase} {share}")
        draft.replace(self.file)

    def release(self) -> None:
        """Let all jobs go on."""
        self.file.unlink(missing_ok=True)

    def wait(self, phase: str, share: float) -> None:
        """Stand still if the file says so, until it says otherwise or the worker is to stop."""
        while not stop_request.is_requested() and self._holds(phase, share):
            time.sleep(PAUSE)

    def _holds(self, phase: str, share: float) -> bool:
        try:
            held, limit = self.file.read_text().split()
        except FileNotFoundError:
            return False
        return held == phase and share >= float(limit)


def hold_jobs(hold: Hold) -> None:
    """Let the imports and scorings of this process, and of those it forks, obey the file."""
    keep, report = ImportRun._keep, Task.report_progress

    def keep_and_wait(self: ImportRun, batch: Batch, verdicts: Sequence[Verdict]) -> None:
        keep(self, batch, verdicts)
        phase = JUDGING if self.at.judging else IMPORTING
        hold.wait(phase, self.at.passed / self.state.begun.size)

    def report_and_wait(self: Task, done: int, total: int, note: Any = None) -> None:
        report(self, done, total, note)
        hold.wait(self.job.kind, done / max(total, 1))

    ImportRun._keep = keep_and_wait  # type: ignore[method-assign]
    Task.report_progress = report_and_wait  # type: ignore[method-assign]


if __name__ == "__main__":
    hold_jobs(Hold(Path(sys.argv.pop(1))))
    run_module("workers", run_name="__main__")
