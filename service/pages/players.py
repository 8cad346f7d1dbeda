"""Players: the list, a player's page, and the ratings."""

from __future__ import annotations

from flask import render_template, request

from service.pages.api_client import get
from service.pages.site import DEFAULT_VARIANT, pages


@pages.get("/players")
def show_players() -> str:
    """Players by name, or those whose name is looked for."""
    name = request.args.get("name", "").strip()
    found = get("/players", name=name or None, cursor=request.args.get("cursor"))
    return render_template("players.html", name=name, found=found)


@pages.get("/players/<id:id>")
def show_player(id: str) -> str:
    """Show a player: their results, ratings and games."""
    return render_template(
        "player.html",
        player=get(f"/players/{id}"),
        results=get(f"/players/{id}/results")["results"],
        ratings=get(f"/players/{id}/ratings")["ratings"],
        found=get("/games", player=id, cursor=request.args.get("cursor"), limit=50),
    )


@pages.get("/ratings")
def show_ratings() -> str:
    """The players of a variant by rating."""
    variant = request.args.get("variant", DEFAULT_VARIANT)
    found = get("/ratings", variant=variant, limit=200)
    return render_template("ratings.html", variant=variant, found=found["items"])
