"""The public pages of tournaments: the list, a tournament, its rounds, its standings explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import render_template, request

from service.game.permissions import directs
from service.pages.api_client import get, get_actor
from service.pages.site import pages
from service.player.scopes import ARBITER


@pages.get("/tournaments")
def show_tournaments() -> str:
    """All tournaments, newest first."""
    asked = {name: request.args[name] for name in ("variant", "status") if request.args.get(name)}
    found = get("/tournaments", **asked, cursor=request.args.get("cursor"))
    return render_template("tournaments.html", found=found, asked=asked, arbiter=is_arbiter())


@pages.get("/tournaments/<id:id>")
def show_tournament(id: str) -> str:
    """A tournament; `player` and `term` explain that number of the standings."""
    return render_page(id)


def render_page(id: str, problem: Mapping[str, Any] | None = None) -> str:
    """The page, with the problem if a form was refused."""
    path = f"/tournaments/{id}"
    player, term = request.args.get("player"), request.args.get("term")
    explained = None
    if player and term:
        explained = get(f"{path}/standings/explain", player=player, term=term)
    shown = get(path)
    return render_template(
        "tournament.html",
        tournament=shown,
        standings=get(f"{path}/standings"),
        table=get(f"{path}/cross-table"),
        bracket=get(f"{path}/bracket") if shown["kind"] == "knockout" else None,
        rounds=get(f"{path}/rounds")["rounds"],
        explained=explained,
        directs=is_director(shown),
        problem=problem,
    )


@pages.get("/tournaments/<id:id>/rounds/<int:round>")
def show_round(id: str, round: int) -> str:
    """The pairings of one round."""
    shown = get(f"/tournaments/{id}")
    made = get(f"/tournaments/{id}/rounds/{round}")
    return render_template("round.html", tournament=shown, round=made)


def is_arbiter() -> bool:
    """Whether the reader may set up tournaments."""
    actor = get_actor()
    return actor is not None and ARBITER in actor.scopes


def is_director(tournament: Mapping[str, Any]) -> bool:
    """Whether the reader rules on this tournament."""
    actor = get_actor()
    return actor is not None and directs([one["id"] for one in tournament["arbiters"]], actor)
