"""The opening explorer: what was played from a position, and with what results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import render_template, request

from notation.registry import find_dialect
from service.boards.scene import find_cells, make_scene
from service.ids import ID
from service.pages.api_client import ApiRefused, get
from service.pages.board_view import BoardView
from service.pages.named_players import NAMED, find_by_mark
from service.pages.site import DEFAULT_VARIANT, pages

FILTERS: Final = (
    "player", "side", "opponent", "result", "event", "since", "until", "min_rating", "max_rating",
    "speed", "computer",
)  # fmt: skip
"""The fields of the form that choose which games are counted, as the API names them."""


START: Final = "start"
"""The name of a game's first position, as in the API."""


@pages.get("/explorer")
def show_explorer() -> tuple[str, int]:
    """A position with its continuations, from all games or from those that match.

    With `action` it is the position behind that, or the same one with what is wrong with it.
    """
    variant = request.args.get("variant", DEFAULT_VARIANT)
    asked = {name: request.args[name].strip() for name in FILTERS if request.args.get(name)}
    sought = {name: find_by_mark(asked[name]) for name in NAMED if name in asked}
    seen, problem = read_position(variant)
    position = seen["position"]
    fen, last = position["fen"], position["action"] or request.args.get("last")
    found = get("/explorer", variant=variant, fen=fen, **asked | sought)
    scene = make_scene(variant, found["fen"], last)
    view = BoardView(scene, found["fen"], request.args.get("below", "first"))
    self_played = found["self_play"]["actions"] if found["self_play"] else []
    for one in [*found["actions"], *self_played]:
        one["fen"] = find_position_after(variant, found["fen"], one)
        one["cells"] = find_cells(one["action"])[:2]
    named = sought.get("player", "")
    page = render_template(
        "explorer.html",
        found=found,
        view=view,
        asked=asked,
        player=get(f"/players/{named}") if ID.match(named) else None,
        problem=problem,
        told={
            "position": {**position, "fen": found["fen"], "last": list(scene.last)},
            "legal": seen["actions"],
            "asked": {**asked, "variant": variant, "fen": found["fen"]}
            | ({"last": last} if last else {}),
        },
    )
    return page, 422 if problem else 200


def read_position(variant: str) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """The requested position, with its legal actions, and why the action cannot be played in it."""
    path, fen = f"/variants/{variant}/position", request.args.get("fen") or START
    action = request.args.get("action", "").strip()
    if not action:
        return get(path, fen=fen), None
    try:
        return get(path, fen=fen, action=action), None
    except ApiRefused as refused:
        # Refused again if it is the position that cannot be read.
        return get(path, fen=fen), refused.problem


def find_position_after(variant: str, fen: str, one: dict[str, Any]) -> str | None:
    """The position after an action; None for one that is not legal by the position alone."""
    if one["san"] is None:
        return None
    written = find_dialect(variant)
    position = written.read_fen(fen)
    position.play(written.resolve(position, one["action"]))
    return written.write_fen(position)
