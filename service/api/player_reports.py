"""`/api/v1/players/{id}/report`, `…/opponents`, `…/openings`: how a player's games went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response

from notation.registry import find_dialect
from service.api import request_data
from service.api.context import get_service
from service.api.responses import make_page, respond_json
from service.api.schemas.fields import SIDES
from service.api.schemas.queries import OpeningsSchema, OpponentsSchema, PlayerReportSchema
from service.api.search_filters import parse_day
from service.api.views import SIDE_NAMES, render_person
from service.player.names.shown import ShownName
from service.projection.player_games import Selection
from service.projection.player_reports import Opening, Opponent, PlayerReports
from service.projection.scores import Score

player_reports = Blueprint("player_reports", __name__, url_prefix="/api/v1")

REPORT: Final = PlayerReportSchema()
OPPONENTS: Final = OpponentsSchema()
OPENINGS: Final = OpeningsSchema()


@player_reports.get("/players/<id:id>/report")
def report(id: str) -> Response:
    """How a player's finished games went, grouped as asked, with the streaks in each group."""
    found = request_data.read_query(REPORT)
    get_service().players.load(id)
    groups = dict.fromkeys(found["by"].split(","))
    told = get_reports().report(id, groups, selection_of(found))
    items = [
        {"by": by, "of": of, **render_score(score), **render_streaks(score)}
        for by, scores in told.scores.items()
        for of, score in scores.items()
    ]
    return respond_scores(items, partial=told.partial)


@player_reports.get("/players/<id:id>/opponents")
def list_opponents(id: str) -> Response:
    """Whom a player has met in finished games, and how these went."""
    found = request_data.read_query(OPPONENTS)
    get_service().players.load(id)
    page = get_reports().opponents(id, selection_of(found), found.get("cursor"), found["limit"])
    names = get_service().namesakes.shown(one.id for one in page.opponents)
    items = [render_opponent(one, names) for one in page.opponents]
    return respond_scores(items, page.next_cursor, page.partial)


@player_reports.get("/players/<id:id>/openings")
def list_openings(id: str) -> Response:
    """How a player's finished games of a variant began, and how they went."""
    found = request_data.read_query(OPENINGS)
    get_service().players.load(id)
    variant = found["variant"]
    openings, partial = get_reports().openings(id, variant, selection_of(found))
    return respond_scores([render_opening(variant, one) for one in openings], partial=partial)


def get_reports() -> PlayerReports:
    """The service's reports of players."""
    return get_service().player_reports


def selection_of(found: dict[str, Any]) -> Selection:
    """The selection that the parameters of a SelectionSchema describe."""
    return Selection(
        variant=found.get("variant"),
        side=None if "side" not in found else list(SIDES).index(found["side"]),
        opponent=found.get("opponent"),
        speed=found.get("speed"),
        since=parse_day(found, "since"),
        until=parse_day(found, "until"),
    )


def respond_scores(
    items: list[dict[str, Any]], next_cursor: str | None = None, partial: bool = False
) -> Response:
    """The answer with these scores."""
    more = {"partial": partial, "lag": get_service().lag.events()}
    return respond_json(make_page(items, next_cursor) | more)


def render_score(score: Score) -> dict[str, int]:
    """How many games had each result."""
    return {
        "games": score.games,
        "won": score.won,
        "drawn": score.drawn,
        "lost": score.lost,
        "unclear": score.unclear,
    }


def render_streaks(score: Score) -> dict[str, int]:
    """The longest and the current streak of each kind."""
    return {
        f"{when}_{kind}": length
        for kind, streak in score.streaks.items()
        for when, length in (("longest", streak.longest), ("current", streak.current))
    }


def render_opponent(one: Opponent, names: Mapping[str, ShownName]) -> dict[str, Any]:
    """An opponent with the score against them."""
    person = render_person(one.id, names)
    return {"by": "opponent", "of": one.id, "player": person, **render_score(one.score)}


def render_opening(variant: str, one: Opening) -> dict[str, Any]:
    """A first action with the score of the games that began with it."""
    written = find_dialect(variant)
    position = written.start({})
    return {
        "by": "first-action",
        "of": one.action,
        "side": SIDE_NAMES[one.side],
        "san": written.san(position, written.resolve(position, one.action)),
        **render_score(one.score),
    }
