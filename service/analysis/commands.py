"""Commands to an analysis."""

from __future__ import annotations

from collections.abc import Sequence

from service.analysis.events import AnalysisBegun
from service.analysis.finding import Finding
from service.analysis.state import AnalysisEnding
from service.log.declarations import command


@command
class BeginAnalysis:
    """Begin the analysis that the event describes."""

    begun: AnalysisBegun


@command
class ResumeAnalysis:
    """Resume an analysis that was stopped."""


@command
class RecordFindings:
    """Record the findings in the next positions."""

    findings: Sequence[Finding]


@command
class QuarantinePosition:
    """Skip the next position."""

    reason: str


@command
class EndAnalysis:
    """End the analysis."""

    ending: AnalysisEnding
    reason: str = ""


@command
class StopAnalysis:
    """Stop an analysis early, keeping what has been found so far in the next position."""

    finding: Finding | None


AnalysisCommand = ResumeAnalysis | RecordFindings | QuarantinePosition | EndAnalysis | StopAnalysis
"""The commands on an existing analysis."""
