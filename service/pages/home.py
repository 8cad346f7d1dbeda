"""The home page: what waits for the reader, a game being played, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flask import render_template, request

from service.pages.api_client import get, get_reader
from service.pages.computers import list_levels
from service.pages.listed import Game, is_awaited
from service.pages.live_boards import find_boards
from service.pages.lobby import find_own_challenges
from service.pages.site import pages

SHOWN: Final = 8
"""The most games in each list on the page."""
CONCERN: Final = 100
"""The most open games of the reader that are looked at."""
PICTURED: Final = 4
"""The most games waiting for the reader whose boards are drawn; others are listed below."""


@pages.get("/")
def show_home() -> str:
    """The reader's open games, a game to watch, the computer, and open challenges."""
    who = get_reader()
    running = get("/games", status="running", sort="updated", limit=SHOWN)["items"]
    if who:
        running = [game for game in running if who["id"] not in list_seats(game)]
    finished = get("/games", status="finished", sort="updated", limit=SHOWN)["items"]
    watched = choose_watched([*running, *finished])
    own = find_own_games(who["id"]) if who else {}
    pictured = [*filter(None, [watched]), *own.get("waiting", [])[:PICTURED], *running]
    return render_template(
        "home.html",
        watched=watched,
        offered=get("/challenges", limit=SHOWN)["items"],
        running=[game for game in running if game is not watched],
        finished=[game for game in finished if game is not watched],
        computers=list_levels(),
        pictured=PICTURED,
        boards=find_boards(game["id"] for game in pictured),
        **own,
    )


def choose_watched(games: Sequence[Game]) -> Game | None:
    """The game that was shown before if it is one of these, else the first of them."""
    kept = [game for game in games if game["id"] == request.args.get("watch")]
    return next(iter([*kept, *games]), None)


def find_own_games(id: str) -> dict[str, Sequence[Game]]:
    """A player's open games by what they require.

    They are `waiting` for the player, waiting for `others`, or `kept` for other players; there are
    also the challenges that the player has `received` or `sent`.
    """
    # By status, so that a flood of challenges does not hide them.
    going_on = [
        game
        for status in ("choosing", "running")
        for game in get("/games", open_for=id, status=status, limit=CONCERN)["items"]
    ]
    own = [game for game in going_on if id in list_seats(game)]
    return {
        "waiting": [game for game in own if is_awaited(game, id)],
        "others": [game for game in own if not is_awaited(game, id)],
        "kept": [game for game in going_on if id not in list_seats(game)],
    } | find_own_challenges()


def list_seats(game: Game) -> list[str | None]:
    """The ids of a listed game's players."""
    return [seat["id"] for seat in game["players"].values()]
