"""The event stream of an analysis: its findings, and those of the search under way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.analysis.report import render_finding, render_looked
from service.analysis.repository import Analyses
from service.analysis.state import AnalysisState
from service.api.lasting_rights import Lasts
from service.api.schemas.queries import CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.subscriptions import Dropped, News, Subscription
from service.jobs.job import Job

POLL = 0.25
"""Seconds between two looks at the findings so far, while somebody follows the analysis."""
MISSES = int(KEEP_ALIVE / POLL)
"""Looks without anything new after which a comment is sent."""


def stream_analysis_messages(
    found: Analyses,
    id: str,
    after: int,
    lasts: Lasts,
    subscription: Subscription[News],
    ends: bool,
) -> Iterator[str]:
    """The messages of an analysis' stream; it ends with the analysis, or with its follower's right.

    The log is read again when there is news of it, so each message shows the current analysis.
    """
    told: dict[str, Any] | None = None
    silent = 0
    state = found.load(id)
    try:
        for version, event, data in list_messages_since(state, after):
            yield write_event(event, data, str(version))
        yield write_event(CAUGHT_UP, {"version": state.version}, str(state.version))
        while not ends and state.ended is None:
            news = subscription.wait_for_news(POLL)
            if not lasts():
                return
            if news is not None:
                after, state = state.version, found.load(id)
                for version, event, data in list_messages_since(state, after):
                    yield write_event(event, data, str(version))
                told, silent = None, 0
                continue
            now = read_search_progress(found, state)
            silent = 0 if now != told else silent + 1
            if now is not None and now != told:
                yield write_event("under_way", now)
            elif silent >= MISSES:
                silent = 0
                yield KEEP_ALIVE_COMMENT
            told = now
    except Dropped:
        return


def list_messages_since(state: AnalysisState, after: int) -> Iterator[tuple[int, str, Any]]:
    """Yield the messages after a version: the positions, then the end if it has ended."""
    for index, looked in enumerate(state.looked):
        if looked.version > after:
            yield looked.version, "position", render_looked(index, looked)
    if state.ended is not None and state.version > after:
        told = {"state": state.ended.state, "reason": state.ended.reason}
        yield state.version, "ended", told


def read_search_progress(found: Analyses, state: AnalysisState) -> dict[str, Any] | None:
    """Return what has been found so far in the position that is being searched, or None."""
    job: Job | None = found.find_job(state)
    finding = found.read_partial_finding(state, job)
    return None if finding is None else {"index": state.done, "finding": render_finding(finding)}
