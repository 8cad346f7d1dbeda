"""What can be asked of an analysis."""

from __future__ import annotations

from dataclasses import dataclass

from service.analysis.events import AnalysisBegun
from service.analysis.finding import Finding
from service.analysis.state import AnalysisEnding


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginAnalysis:
    """Analyse what the event tells."""

    begun: AnalysisBegun


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeAnalysis:
    """Go on with an analysis that somebody stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFinding:
    """Write down what was found in the next position."""

    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinePosition:
    """Leave the next position out."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAnalysis:
    """Search nothing more."""

    ending: AnalysisEnding
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAnalysis:
    """End an analysis before its time, with what was found so far in the next position."""

    finding: Finding | None


AnalysisCommand = ResumeAnalysis | RecordFinding | QuarantinePosition | EndAnalysis | StopAnalysis
"""The commands on an analysis there is."""
