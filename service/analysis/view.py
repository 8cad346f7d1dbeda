"""Which of a game's analyses is shown. Pure."""

from __future__ import annotations

from service.analysis.state import AnalysisEnding, AnalysisState

SHOWN = frozenset({AnalysisEnding.DONE, AnalysisEnding.QUARANTINED})
"""How an analysis ends that has looked at everything."""


def is_whole(state: AnalysisState) -> bool:
    """Whether an analysis has ended with a finding in each of its positions."""
    return state.ended is not None and state.ended.state in SHOWN


def supersedes(newer: AnalysisState, older: AnalysisState) -> bool:
    """Whether a newer analysis is shown in the place of one that is whole.

    Not before it is whole itself, nor where the same engine has looked at the same actions less
    thoroughly: what somebody asks for in passing takes nothing away from others.
    """
    if not is_whole(newer):
        return False
    same = newer.begun.build == older.begun.build and read_course(newer) == read_course(older)
    return not same or sum_nodes(newer) >= sum_nodes(older)


def read_course(state: AnalysisState) -> list[str | None]:
    """The actions of the game as far as they are known from what was found."""
    findings = (looked.finding for looked in state.looked)
    return [None if finding is None else finding.played for finding in findings]


def sum_nodes(state: AnalysisState) -> int:
    """The nodes of all positions."""
    return sum(looked.finding.nodes for looked in state.looked if looked.finding)
