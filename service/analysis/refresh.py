"""Requesting again the analyses made by another build of the engine."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from service.analysis.repository import Analyses
from service.analysis.view import is_whole
from service.errors import NotFound
from service.ids import derived_id
from service.jobs.duties import Lane
from service.jobs.errors import WrongJobState
from service.jobs.job_kinds import STALE


def refresh(analyses: Analyses) -> dict[str, Any]:
    """Queue a batch that renews stale analyses; two requests share one job."""
    id = _derive_job_id(analyses)
    if not analyses.queue.submit(id, STALE, {}):
        with suppress(WrongJobState):
            analyses.queue.jobs.requeue(id)
            analyses.queue.try_to_hint(id, Lane.PERSON)
    return read_progress(analyses)


def read_progress(analyses: Analyses) -> dict[str, Any]:
    """Return the progress of the refresh; `state` is its job's, None if this build has no job.

    `looked` is how many analyses of `of` in all were examined, `asked` how many were requested
    again.
    """
    told: dict[str, Any] = {"build": analyses.build, "state": None}
    try:
        job = analyses.queue.jobs.get(_derive_job_id(analyses))
    except NotFound:
        return told | {"looked": 0, "of": 0, "asked": 0}
    looked, of = job.progress
    asked = (job.outcome or {}).get("asked", 0)
    return told | {"state": job.state, "looked": looked, "of": of, "asked": asked}


def request_again(analyses: Analyses, id: str) -> bool:
    """Request a stale analysis again from the current engine; False if there is nothing to do.

    Raises NotFound, BadFen, and the errors of a game that cannot be replayed.
    """
    state = analyses.load(id)
    if not (analyses.is_stale(state) and is_whole(state)) or analyses.find_replacement(state):
        return False
    analyses.request(analyses.renew_subject(state), state.by, batch=True)
    return True


def _derive_job_id(analyses: Analyses) -> str:
    # The id is no secret: it only has to be the same each time.
    return derived_id(b"", STALE, analyses.build)
