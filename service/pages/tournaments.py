"""The public pages of tournaments: the list, a tournament, and its printable parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import render_template, request

from service.game.permissions import directs
from service.pages.api_client import get, get_actor, get_reader
from service.pages.live_boards import find_boards
from service.pages.site import pages
from service.pages.tournament_progress import (
    count_playing,
    describe_rounds,
    describe_stage,
    list_missing,
)
from service.player.scopes import ARBITER

RESULTS: Final = "results"
"""The type of the command that a round's list of results sends."""
LARGE: Final = 128
"""With more players than this, a tournament's cross table is only on a page of its own."""
EMPTY_SHEET: Final = [(str(number), "", "") for number in range(1, 41)]
"""The rows of an empty score sheet."""


@pages.get("/tournaments")
def show_tournaments() -> str:
    """All tournaments, newest first."""
    given = {name: request.args.get(name, "").strip() for name in ("variant", "status", "name")}
    asked = {name: value for name, value in given.items() if value}
    found = get("/tournaments", **asked, cursor=request.args.get("cursor"))
    return render_template("tournaments.html", found=found, asked=asked, arbiter=is_arbiter())


@pages.get("/tournaments/<id:id>")
def show_tournament(id: str) -> str:
    """A tournament; `player` and `term` explain that number of the standings.

    `since` is the version before a result of the round `corrected` was changed: the page tells
    what came of it.
    """
    return render_page(id)


def render_page(id: str, problem: Mapping[str, Any] | None = None) -> str:
    """The page, with the problem if a form was refused."""
    path = f"/tournaments/{id}"
    player, term = request.args.get("player"), request.args.get("term")
    explained = None
    if player and term:
        explained = get(f"{path}/standings/explain", player=player, term=term)
    shown, rounds = get(path), get(f"{path}/rounds")["rounds"]
    bracket = get(f"{path}/bracket") if shown["kind"] == "knockout" else None
    is_large = len(shown["players"]) > LARGE
    return render_template(
        "tournament.html",
        tournament=shown,
        standings=get(f"{path}/standings"),
        table=None if is_large else get(f"{path}/cross-table"),
        bracket=bracket,
        rounds=rounds,
        progress=describe_rounds(shown, rounds),
        shown_round=find_shown_round(rounds),
        missing=list_missing(rounds),
        playing=count_playing(shown, bracket),
        explained=explained,
        changes=find_changes(path),
        own=find_own_entry(shown),
        directs=is_director(shown),
        arbiter=is_arbiter(),
        problem=problem,
    )


def find_shown_round(rounds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The round that the page shows: that of a refused list of results, else the last."""
    wanted = request.form.get("round", type=int) if request.form.get("type") == RESULTS else None
    last = rounds[-1] if rounds else None
    return next((one for one in rounds if one["number"] == wanted), last)


def find_changes(path: str) -> Mapping[str, Any] | None:
    """What a correction changed in the standings, if the address asks for it."""
    since, corrected = request.args.get("since"), request.args.get("corrected", type=int)
    if not since or corrected is None:
        return None
    found = get(f"{path}/standings/diff", **{"from": f"version:{since}"})
    return {"round": corrected, "standings": found["changes"]}


def find_own_entry(tournament: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The reader's entry among the tournament's players, even after a withdrawal."""
    reader = get_reader()
    own = reader and reader["id"]
    return next((player for player in tournament["players"] if player["id"] == own), None)


@pages.get("/tournaments/<id:id>/standings")
def show_standings(id: str) -> str:
    """The standings with all tie-breaks, to be printed."""
    shown, rounds = get(f"/tournaments/{id}"), get(f"/tournaments/{id}/rounds")["rounds"]
    return render_template(
        "standings.html",
        tournament=shown,
        stage=describe_stage(shown, rounds),
        standings=get(f"/tournaments/{id}/standings"),
    )


@pages.get("/tournaments/<id:id>/cross-table")
def show_cross_table(id: str) -> str:
    """The cross table, to be printed."""
    shown, rounds = get(f"/tournaments/{id}"), get(f"/tournaments/{id}/rounds")["rounds"]
    return render_template(
        "cross_table.html",
        tournament=shown,
        stage=describe_stage(shown, rounds),
        table=get(f"/tournaments/{id}/cross-table"),
    )


@pages.get("/tournaments/<id:id>/rounds")
def show_rounds(id: str) -> str:
    """The pairings and results of all rounds, to be printed, one a page."""
    rounds = get(f"/tournaments/{id}/rounds")["rounds"]
    return render_template("rounds.html", tournament=get(f"/tournaments/{id}"), rounds=rounds)


@pages.get("/tournaments/<id:id>/rounds/<int:round>")
def show_round(id: str, round: int) -> str:
    """The pairings of one round, to be printed; for its director, the list to enter results in."""
    shown = get(f"/tournaments/{id}")
    made = get(f"/tournaments/{id}/rounds/{round}")
    directs = is_director(shown)
    return render_template("round.html", tournament=shown, round=made, directs=directs)


@pages.get("/tournaments/<id:id>/rounds/<int:round>/boards")
def show_boards(id: str, round: int) -> str:
    """All boards of a round, as they are played."""
    made = get(f"/tournaments/{id}/rounds/{round}")
    return render_template(
        "boards.html",
        tournament=get(f"/tournaments/{id}"),
        round=made,
        boards=find_boards(pair["game"] for pair in made["pairings"] if pair["game"]),
    )


@pages.get("/tournaments/<id:id>/rounds/<int:round>/score-sheets")
def show_score_sheets(id: str, round: int) -> str:
    """An empty score sheet for each board of a round, to be printed."""
    shown = get(f"/tournaments/{id}")
    made = get(f"/tournaments/{id}/rounds/{round}")
    sheets = [
        {
            "event": shown["name"],
            "variant": shown["variant"],
            "round": round,
            "board": pair["board"],
            "first": pair["first"],
            "second": pair["second"],
            "result": "*",
            "rows": EMPTY_SHEET,
        }
        for pair in made["pairings"]
    ]
    return render_template("score_sheets.html", sheets=sheets, back=f"/tournaments/{id}")


@pages.get("/games/<id:id>/score-sheet")
def show_score_sheet(id: str) -> str:
    """A game's score sheet, to be printed."""
    game = get(f"/games/{id}")
    sheet = {
        "event": game["tags"].get("Event", ""),
        "variant": game["variant"],
        "round": game["tags"].get("Round", ""),
        "board": game["tags"].get("Board", ""),
        "first": game["players"]["first"],
        "second": game["players"]["second"],
        "result": game["result"],
        "rows": list_moves(game["actions"]),
    }
    return render_template("score_sheets.html", sheets=[sheet], back=f"/games/{id}")


def list_moves(actions: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str, str]]:
    """The rows of a score sheet: the number of a move, and what both sides played in it.

    All actions of a side that acts several times in a move are in its column.

    >>> def act(number, side, san): return {"number": number, "side": side, "san": san}
    >>> list_moves([act(1, "first", "Pa3"), act(1, "second", "Pb7"), act(2, "first", "Pa4")])
    [('1', 'Pa3', 'Pb7'), ('2', 'Pa4', '')]
    """
    rows: dict[int, tuple[list[str], list[str]]] = {}
    for action in actions:
        sides = rows.setdefault(action["number"], ([], []))
        sides[action["side"] == "second"].append(action["san"])
    return [(str(n), " ".join(one), " ".join(other)) for n, (one, other) in rows.items()]


def is_arbiter() -> bool:
    """Whether the reader may set up tournaments."""
    actor = get_actor()
    return actor is not None and ARBITER in actor.scopes


def is_director(tournament: Mapping[str, Any]) -> bool:
    """Whether the reader rules on this tournament."""
    actor = get_actor()
    arbiters = [one["id"] for one in tournament["arbiters"]]
    return actor is not None and directs(arbiters, actor, tournament["terms"]["rated"])
