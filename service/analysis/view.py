"""Which of a game's analyses is shown. Pure."""

from __future__ import annotations

from service.analysis.state import AnalysisEnding, AnalysisState

SHOWN = frozenset({AnalysisEnding.DONE, AnalysisEnding.QUARANTINED})
"""The endings of an analysis that has examined everything."""


def is_whole(state: AnalysisState) -> bool:
    """Whether an analysis has ended with a finding in each of its positions."""
    return state.ended is not None and state.ended.state in SHOWN


def supersedes(newer: AnalysisState, older: AnalysisState) -> bool:
    """Whether a newer analysis is shown instead of an older one that is whole.

    It is not before it is whole itself, nor if the same engine has examined the same actions less
    thoroughly: a cursory request does not displace a better analysis.
    """
    if not is_whole(newer):
        return False
    same = newer.begun.build == older.begun.build and read_course(newer) == read_course(older)
    return not same or sum_nodes(newer) >= sum_nodes(older)


def read_course(state: AnalysisState) -> list[str | None]:
    """The actions of the game, as far as the findings show them."""
    findings = (looked.finding for looked in state.looked)
    return [None if finding is None else finding.played for finding in findings]


def sum_nodes(state: AnalysisState) -> int:
    """The nodes searched in all positions."""
    return sum(looked.finding.nodes for looked in state.looked if looked.finding)
