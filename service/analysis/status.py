"""The status of an analysis, which its log and its job determine together."""

from __future__ import annotations

from typing import Final

from service.analysis.state import AnalysisState
from service.jobs.job import Job, JobState

UNDER_WAY: Final = frozenset({JobState.QUEUED, JobState.RUNNING})
FAILED: Final = frozenset({JobState.FAILED, JobState.QUARANTINED})


def name_status(state: AnalysisState, job: Job | None) -> str:
    """The status of an analysis: an AnalysisEnding, `queued`, `running` or `failed`."""
    if state.ended is not None:
        return state.ended.state
    if job is None:
        return JobState.QUEUED
    return JobState.FAILED if job.state in FAILED else job.state
