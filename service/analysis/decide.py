"""`decide(state, command, actor)`: the events of a command to an analysis, or an error."""

from __future__ import annotations

import json
from collections.abc import Sequence

from service.analysis.commands import (
    AnalysisCommand,
    BeginAnalysis,
    EndAnalysis,
    QuarantinePosition,
    RecordFindings,
    ResumeAnalysis,
    StopAnalysis,
)
from service.analysis.errors import AnalysisOver
from service.analysis.events import (
    AnalysisEnded,
    AnalysisResumed,
    PositionAnalysed,
    PositionQuarantined,
)
from service.analysis.finding import Finding
from service.analysis.state import AnalysisEnding, AnalysisState, may_resume
from service.analysis.target import is_secret
from service.log.values import Event
from service.player.actor import Actor


def create(command: BeginAnalysis, actor: Actor) -> Sequence[Event]:
    """The events of a new analysis."""
    return (command.begun,)


def decide(command: AnalysisCommand, state: AnalysisState, actor: Actor) -> Sequence[Event]:
    """Return the events that a command causes; raises AnalysisOver."""
    if isinstance(command, ResumeAnalysis):
        return (AnalysisResumed(),) if may_resume(state) else ()
    if state.ended is not None:
        raise AnalysisOver(state.ended.state)
    match command:
        case RecordFindings(findings=findings):
            return [
                make_finding_event(state, index, finding)
                for index, finding in enumerate(findings, state.done)
            ]
        case QuarantinePosition(reason=reason):
            return (PositionQuarantined(index=state.done, reason=reason),)
        case EndAnalysis(ending=ending, reason=reason):
            return (AnalysisEnded(state=ending, reason=reason),)
        case StopAnalysis(finding=so_far):
            ended = AnalysisEnded(state=AnalysisEnding.CANCELLED)
            if so_far is None:
                return (ended,)
            return (make_finding_event(state, state.done, so_far, cut=True), ended)


def make_finding_event(
    state: AnalysisState, index: int, finding: Finding, *, cut: bool = False
) -> PositionAnalysed:
    """Make the event of a finding in a position; private if it reveals a secret."""
    told = finding.to_json()
    if is_secret(state.begun):
        return PositionAnalysed(index=index, cut=cut, secret_finding=json.dumps(told))
    return PositionAnalysed(index=index, cut=cut, finding=told)
