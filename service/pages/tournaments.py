"""Tournaments: the list, and of each its rounds, standings that explain themselves, cross table."""

from __future__ import annotations

from flask import render_template, request

from service.pages.site import pages
from service.pages.source import get


@pages.get("/tournaments")
def tournaments() -> str:
    """All tournaments, newest first."""
    asked = {name: request.args[name] for name in ("variant", "status") if request.args.get(name)}
    found = get("/tournaments", **asked, cursor=request.args.get("cursor"))
    return render_template("tournaments.html", found=found, asked=asked)


@pages.get("/tournaments/<id:id>")
def tournament(id: str) -> str:
    """One tournament; with `player` and `term`, where that number of the standings comes from."""
    path = f"/tournaments/{id}"
    player, term = request.args.get("player"), request.args.get("term")
    explained = None
    if player and term:
        explained = get(f"{path}/standings/explain", player=player, term=term)
    return render_template(
        "tournament.html",
        tournament=get(path),
        standings=get(f"{path}/standings"),
        table=get(f"{path}/cross-table"),
        rounds=get(f"{path}/rounds")["rounds"],
        explained=explained,
    )
