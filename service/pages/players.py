"""A player's page."""

from __future__ import annotations

from flask import render_template, request

from service.pages.site import pages
from service.pages.source import get


@pages.get("/players/<id:id>")
def player(id: str) -> str:
    """Who a player is, and their games."""
    return render_template(
        "player.html",
        player=get(f"/players/{id}"),
        found=get("/games", player=id, cursor=request.args.get("cursor"), limit=50),
    )
