"""Players: the list, a player's page with reports, two players' games, and the ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import render_template, request

from service.languages.formats import format_number
from service.pages.api_client import get
from service.pages.site import DEFAULT_VARIANT, pages

Scores = dict[str, list[Mapping[str, Any]]]
"""A player's scores from the API, by what they are grouped by."""

SHOWN: Final = "all,side,speed,year,opening"
"""By what a player's page groups games, besides the variant."""
MOST_OPENINGS: Final = 10
"""The most named openings on a player's page; the most frequent are shown."""
MOST_MET: Final = 10
"""The most opponents on a player's own page."""
SPEEDS: Final = ("bullet", "blitz", "rapid", "classical", "correspondence")
UNTIMED: Final = "untimed"
LAST: Final = 10
"""The most games of two players that are shown on their page."""


@pages.get("/players")
def show_players() -> str:
    """Players by name, or those whose name is looked for."""
    name = request.args.get("name", "").strip()
    found = get("/players", name=name or None, cursor=request.args.get("cursor"))
    return render_template("players.html", name=name, found=found)


@pages.get("/players/<id:id>")
def show_player(id: str) -> str:
    """Show a player: their results, streaks, ratings, openings, opponents and games.

    With `variant`, everything is about the games of that variant alone.
    """
    variant = request.args.get("variant") or None
    asked, player = f"/players/{id}", get(f"/players/{id}")
    played = get(f"{asked}/report", by="variant")
    scores = {"variant": played["items"]}
    scores |= by_group(get(f"{asked}/report", by=SHOWN, variant=variant)["items"])
    scores["opening"] = list_openings(scores)
    scores["speed"] = sorted(scores.get("speed", []), key=place_speed)
    opened = variant or find_most_played(played["items"])
    return render_template(
        "player.html",
        player=player,
        variant=variant,
        opened=opened,
        scores=scores,
        partial=played["partial"],
        ratings=get(f"{asked}/ratings")["ratings"],
        openings=get(f"{asked}/openings", variant=opened)["items"] if opened else [],
        opponents=get(f"{asked}/opponents", variant=variant, limit=MOST_MET),
        playing=get("/games", player=id, variant=variant, status="running", limit=LAST)["items"],
        entered=get("/tournaments", player=id, variant=variant, limit=LAST)["items"],
        namesakes=list_namesakes(player),
        found=get(
            "/games", player=id, variant=variant, cursor=request.args.get("cursor"), limit=50
        ),
    )


@pages.get("/players/<id:id>/opponents")
def show_opponents(id: str) -> str:
    """Everybody a player has met, those met most often first."""
    variant, cursor = request.args.get("variant") or None, request.args.get("cursor")
    return render_template(
        "opponents.html",
        player=get(f"/players/{id}"),
        variant=variant,
        played=get(f"/players/{id}/report", by="variant")["items"],
        found=get(f"/players/{id}/opponents", variant=variant, cursor=cursor),
    )


@pages.get("/players/<id:id>/against/<id:other>")
def show_head_to_head(id: str, other: str) -> str:
    """How a player's games against another went, and the last of them."""
    found = get(f"/players/{id}/report", opponent=other)
    games = get("/games", player=id, opponent=other, status="finished", limit=LAST)
    return render_template(
        "head_to_head.html",
        player=get(f"/players/{id}"),
        opponent=get(f"/players/{other}"),
        scores=by_group(found["items"]),
        partial=found["partial"],
        games=games["items"],
    )


@pages.get("/ratings")
def show_ratings() -> str:
    """The players of a variant and a speed class by rating."""
    variant = request.args.get("variant", DEFAULT_VARIANT)
    speed = request.args.get("speed", UNTIMED)
    found = get("/ratings", variant=variant, speed=speed, limit=200)
    return render_template(
        "ratings.html",
        variant=variant,
        speed=speed,
        speeds=(*SPEEDS, UNTIMED),
        found=found["items"],
    )


def list_namesakes(player: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Other players with exactly this name, who are distinguished by their marks."""
    if player["mark"] is None:
        return []
    found = get("/players", name=player["name"])["items"]
    return [one for one in found if one["name"] == player["name"] and one["id"] != player["id"]]


def by_group(items: list[Mapping[str, Any]]) -> Scores:
    """The scores by what they are grouped by."""
    found: Scores = {}
    for one in items:
        found.setdefault(one["by"], []).append(one)
    return found


def place_speed(score: Mapping[str, Any]) -> int:
    """Where a speed stands among the others, the fastest first and an unknown one last."""
    return SPEEDS.index(score["of"]) if score["of"] in SPEEDS else len(SPEEDS)


def list_openings(scores: Scores) -> list[Mapping[str, Any]]:
    """The named openings of a player's games, the most frequent first."""
    named = [one for one in scores.get("opening", []) if one["of"] != "unknown"]
    return sorted(named, key=lambda one: -int(one["games"]))[:MOST_OPENINGS]


def find_most_played(scores: list[Mapping[str, Any]]) -> str | None:
    """The variant with the most games; None for a player without games."""
    best = max(scores, key=lambda one: int(one["games"]), default=None)
    return None if best is None else str(best["of"])


@pages.app_template_filter("percentage")
def format_percentage(score: Mapping[str, Any]) -> str:
    """The share of the points that a player won, a draw being half a point; – without any.

    >>> format_percentage({"won": 2, "drawn": 1, "lost": 1}), format_percentage(
    ...     {"won": 0, "drawn": 0, "lost": 0})
    ('62.5 %', '–')
    """
    games = score["won"] + score["drawn"] + score["lost"]
    if not games:
        return "–"
    return f"{format_number(100 * (score['won'] + score['drawn'] / 2) / games, 1)} %"
