"""`/api/v1/ratings`, `/api/v1/players/{id}/ratings`: Glicko-2 by variant and speed class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import get_service
from service.api.responses import (
    answer_by_content,
    choose_media_type,
    make_picture_policy,
    respond_json,
)
from service.api.schemas.queries import RankingSchema, RatedSpeedSchema
from service.api.tournament_views import Grid, answer_public, escape_cell_name
from service.api.views import render_person
from service.composition.service import now
from service.log.chain import when
from service.projection.rating_periods import Rated
from service.projection.ratings import Pool
from service.rating.history_chart import STYLE, RatingPoint, draw_history

RANKING = RankingSchema()
PICTURE = RatedSpeedSchema()
R = TypeVar("R")
SVG = "image/svg+xml"

ratings = Blueprint("ratings", __name__, url_prefix="/api/v1")


@ratings.get("/ratings")
def list_ranking() -> Response:
    """The players of a variant and speed class by rating, as of the last closed period."""
    found = request_data.read_query(RANKING)
    pool, limit = Pool(found["variant"], found["speed"]), found["limit"]
    ranking = get_service().ratings.ranking(pool, now(), limit)
    names = get_service().namesakes.shown(ranking)
    items = [
        {"player": render_person(player, names), **render_rating(rated)}
        for player, rated in ranking.items()
    ]
    return answer_public({**pool._asdict(), "items": items}, make_ranking_grid(items))


def make_ranking_grid(items: list[dict[str, Any]]) -> Grid:
    """The ranking as rows."""
    numbers = ("rating", "deviation", "volatility")
    rows = [
        (one["player"]["id"], escape_cell_name(one["player"]), *(one[n] for n in numbers))
        for one in items
    ]
    return ("id", "name", *numbers), rows


@ratings.get("/players/<id:id>/ratings")
def list_rating_history(id: str) -> Response:
    """A player's ratings by variant and speed class, after each period in which they played."""
    request_data.read_query()
    get_service().players.load(id)
    found = get_service().ratings.history(id)
    views = {pool: list(map(render_rating, rated)) for pool, rated in found.items()}
    return respond_json({"player": id, "ratings": group_by_variant(views)})


def group_by_variant(ratings: Mapping[Pool, R]) -> dict[str, dict[str, R]]:
    """What is known about pools, by variant and speed class."""
    grouped: dict[str, dict[str, R]] = {}
    for pool, value in ratings.items():
        grouped.setdefault(pool.variant, {})[pool.speed] = value
    return grouped


@ratings.get("/players/<id:id>/ratings.svg")
def draw_rating_history(id: str) -> Response:
    """A player's rating in a variant and speed class over time as a chart."""
    pool = Pool(**request_data.read_query(PICTURE))
    choose_media_type(SVG)
    get_service().players.load(id)
    name = get_service().namesakes.shown([id])[id]
    length = get_service().ratings.length
    points = [
        RatingPoint((one.period + 1) * length, one.rating.rating, one.rating.deviation)
        for one in get_service().ratings.history(id).get(pool, ())
    ]
    game = pool.variant.replace("-", " ").title()
    drawn = draw_history(f"Rating in {game}, {pool.speed}: {name}", points)
    response = Response(drawn, mimetype=SVG)
    response.headers["Content-Security-Policy"] = make_picture_policy(STYLE)
    return answer_by_content(response)


def render_rating(rated: Rated) -> dict[str, Any]:
    """A rating and the period after which it held; exact, so that it can be recomputed."""
    length = get_service().ratings.length
    return {
        "rating": rated.rating.rating,
        "deviation": rated.rating.deviation,
        "volatility": rated.rating.volatility,
        "games": rated.games,
        "period_start": when(rated.period * length),
        "period_end": when((rated.period + 1) * length),
    }
