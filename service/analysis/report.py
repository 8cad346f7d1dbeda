"""An analysis as clients see it. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from engine.registry import find_variant
from engine.side import Side
from service.analysis.finding import Finding
from service.analysis.judgement import (
    THRESHOLDS,
    Judged,
    compute_accuracy,
    is_only_action,
    judge_all,
)
from service.analysis.state import AnalysisState, Looked
from service.log.chain import when

SIDE_NAMES = ("first", "second")


def report(state: AnalysisState, *, stale: bool) -> dict[str, Any]:
    """Return an analysis as JSON values: its subject, parameters, state and findings.

    Whether it is `stale` depends on the current engine, so the caller has to say.
    """
    begun = state.begun
    return {
        "id": state.id,
        "variant": begun.variant,
        "view": begun.view,
        "game": begun.game,
        "version": begun.version,
        "ply": begun.ply,
        "fen": begun.fen or begun.secret_fen,
        "created_at": when(state.begun_at),
        "ended_at": None if state.ended_at is None else when(state.ended_at),
        "stale": stale,
        "provenance": {
            "rules": begun.rules,
            "build": begun.build,
            "parameters": dict(begun.parameters),
        },
        "progress": {"done": state.done, "of": begun.positions},
        "findings": [render_looked(index, looked) for index, looked in enumerate(state.looked)],
        "judged": render_judgements(state) if state.whole_game else None,
    }


def render_looked(index: int, looked: Looked) -> dict[str, Any]:
    """Return one position's finding as JSON values, or the reason why there is none."""
    found = None if looked.finding is None else render_finding(looked.finding)
    return {"index": index, "finding": found, "cut": looked.cut, "reason": looked.reason}


def render_finding(finding: Finding) -> dict[str, Any]:
    """A finding with its side by name."""
    return finding.to_json() | {"side": SIDE_NAMES[finding.side]}


def render_judgements(state: AnalysisState) -> dict[str, Any]:
    """Return the judgement of each searched action of a game, and of each side."""
    judged = judge_actions(state)
    return {
        "thresholds": dict(THRESHOLDS),
        "sides": {SIDE_NAMES[side]: render_side(judged, side) for side in Side},
        "actions": [render_judged(state, ply, one) for ply, one in enumerate(judged)],
    }


def render_judged(state: AnalysisState, ply: int, judged: Judged | None) -> dict[str, Any] | None:
    """Return the judgement of the action after `ply` others, None if it has none."""
    before = state.looked[ply].finding
    if judged is None or before is None:
        return None
    only = is_only_action(find_variant(state.begun.variant), before)
    return {**asdict(judged), "side": SIDE_NAMES[judged.side], "only": only}


def judge_actions(state: AnalysisState) -> list[Judged | None]:
    """The judgement of each action whose two positions have been examined, in order."""
    return judge_all([looked.finding for looked in state.looked if not looked.cut])


def render_side(judged: list[Judged | None], side: Side) -> dict[str, Any]:
    """A side's accuracy, and how many of its actions have each judgement."""
    called = Counter(one.judgement for one in judged if one and one.side is side)
    return {
        "accuracy": compute_accuracy(judged, side),
        **{name: called[name] for name in THRESHOLDS},
    }
