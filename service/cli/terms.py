"""The terms of a game or a tournament as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def format_terms(terms: Mapping[str, Any]) -> str:
    """The agreed terms, on one line.

    >>> terms = {"time_control": "180+2", "speed": "blitz", "rated": True, "ply_limit": 80}
    >>> format_terms(terms | {"draw_by_points": False, "set_up": False, "infiltrators": None})
    '180+2 (blitz), rated, at most 80 actions'
    """
    control = terms["time_control"]
    said = [
        f"{control} ({terms['speed']})" if control else terms["speed"],
        "rated" if terms["rated"] else "casual",
    ]
    if terms["ply_limit"] is not None:
        said.append(f"at most {terms['ply_limit']} actions")
    if terms["draw_by_points"]:
        said.append("a draw goes to the side with more points")
    if terms["infiltrators"] is not None:
        said.append(f"infiltrators {terms['infiltrators']}")
    if terms["set_up"]:
        said.append("a set-up position")
    if terms.get("no_show_minutes") is not None:
        said.append(f"no-show after {terms['no_show_minutes']:g} minutes")
    if terms.get("visibility") == "private":
        said.append("private")
    if terms.get("expires_at") is not None:
        said.append(f"expires {terms['expires_at']}")
    return ", ".join(said)
