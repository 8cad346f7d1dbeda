"""Commands to an analysis."""

from __future__ import annotations

from dataclasses import dataclass

from service.analysis.events import AnalysisBegun
from service.analysis.finding import Finding
from service.analysis.state import AnalysisEnding


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginAnalysis:
    """Begin the analysis that the event describes."""

    begun: AnalysisBegun


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeAnalysis:
    """Resume an analysis that was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFinding:
    """Record the finding in the next position."""

    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinePosition:
    """Skip the next position."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAnalysis:
    """End the analysis."""

    ending: AnalysisEnding
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAnalysis:
    """Stop an analysis early, keeping what was found so far in the next position."""

    finding: Finding | None


AnalysisCommand = ResumeAnalysis | RecordFinding | QuarantinePosition | EndAnalysis | StopAnalysis
"""The commands on an analysis there is."""
