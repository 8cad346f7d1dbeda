"""The opening explorer: what was played from a position, and how it went."""

from __future__ import annotations

from typing import Any, Final

from flask import render_template, request

from notation.registry import find_dialect
from service.boards.scene import make_scene
from service.ids import ID
from service.pages.api_client import get
from service.pages.board_view import BoardView
from service.pages.named_players import NAMED, find_by_mark
from service.pages.site import DEFAULT_VARIANT, pages

FILTERS: Final = (
    "player", "side", "opponent", "result", "event", "since", "until", "min_rating", "max_rating",
    "speed", "computer",
)  # fmt: skip
"""The fields of the form that say which games are counted, as the API names them."""


@pages.get("/explorer")
def show_explorer() -> str:
    """A position with its continuations, of all games or of those that are asked for."""
    variant = request.args.get("variant", DEFAULT_VARIANT)
    asked = {name: request.args[name].strip() for name in FILTERS if request.args.get(name)}
    sought = {name: find_by_mark(asked[name]) for name in NAMED if name in asked}
    fen = request.args.get("fen") or None
    found = get("/explorer", variant=variant, fen=fen, **asked | sought)
    below = request.args.get("below", "first")
    view = BoardView(
        make_scene(variant, found["fen"], request.args.get("last")), found["fen"], below
    )
    for one in found["actions"]:
        one["fen"] = find_position_after(variant, found["fen"], one)
    named = sought.get("player", "")
    player = get(f"/players/{named}") if ID.match(named) else None
    return render_template("explorer.html", found=found, view=view, asked=asked, player=player)


def find_position_after(variant: str, fen: str, one: dict[str, Any]) -> str | None:
    """The position behind an action; None for one that is not legal by the position alone."""
    if one["san"] is None:
        return None
    written = find_dialect(variant)
    position = written.read_fen(fen)
    position.play(written.resolve(position, one["action"]))
    return written.write_fen(position)
