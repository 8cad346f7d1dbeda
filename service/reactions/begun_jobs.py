"""Jobs of analyses and imports whose web process died before it submitted them."""

from __future__ import annotations

from service.analysis import state as analysis_streams
from service.analysis.events import AnalysisBegun, AnalysisResumed
from service.analysis.repository import Analyses
from service.imports import repository as import_streams
from service.imports.events import ImportBegun
from service.imports.repository import Imports
from service.reactions.event_follower import EventFollower


def make_analysis_follower(analyses: Analyses) -> EventFollower:
    """Make the follower that creates a job for each analysis that was begun or resumed."""
    return EventFollower(
        analyses.log,
        analysis_streams.KIND,
        lambda event: isinstance(event, AnalysisBegun | AnalysisResumed),
        lambda pointer, entry: analyses.ensure_job(pointer.stream.id, entry.by),
    )


def make_import_follower(imports: Imports) -> EventFollower:
    """Make the follower that creates a job for each import that was begun."""
    return EventFollower(
        imports.log,
        import_streams.KIND,
        lambda event: isinstance(event, ImportBegun),
        lambda pointer, entry: imports.ensure_job(pointer.stream.id),
    )
