"""Which analysis of a game its page shows, and whether the page offers another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.analysis.parameters import NODES_A_PLY
from service.analysis.status import UNDER_WAY


def choose_analysis(
    analysis: Mapping[str, Any] | None, game: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """The analysis as the API gives it, None if it is of actions that the game does not have.

    That may be so after actions were taken back.
    """
    if analysis is None:
        return None
    found = (looked["finding"] for looked in analysis["findings"])
    examined = [finding and finding["played"] for finding in found]
    actions = [action["action"] for action in game["actions"]]
    actions += [None] * (len(examined) - len(actions))
    fits = all(one in (None, other) for one, other in zip(examined, actions, strict=False))
    return analysis if fits else None


def is_thorough(analysis: Mapping[str, Any], game: Mapping[str, Any]) -> bool:
    """Whether an analysis covers a whole game as well as the page's own request, or will do so."""
    if analysis["state"] in UNDER_WAY:
        return True
    nodes = analysis["provenance"]["parameters"].get("nodes", NODES_A_PLY)
    whole = analysis["state"] == "done" and analysis["progress"]["of"] > game["ply"]
    return bool(whole and nodes >= NODES_A_PLY)
