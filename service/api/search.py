"""`/api/v1/search` and `/api/v1/explorer`: games by what they are, and by positions."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from engine.registry import find_variant
from notation.errors import TokenError
from notation.registry import find_dialect
from service.api import request_data
from service.api.context import get_service
from service.api.query_schemas import ExplorerSchema, SearchSchema
from service.api.responses import (
    JSON,
    NDJSON,
    choose_media_type,
    make_page,
    respond_json,
    write_ndjson_line,
)
from service.api.search_filters import fen_of, query_of
from service.api.views import render_summary
from service.projection.explorer import Continuation, Explored
from service.projection.query import Query
from service.projection.summary import GameSummary

search = Blueprint("search", __name__, url_prefix="/api/v1")

SEARCH = SearchSchema()
EXPLORER = ExplorerSchema()
LAG = "X-Projection-Lag"
RECENT = 8
"""How many games the explorer shows of a position."""


@search.get("/search")
def find() -> Response:
    """Find games, newest first, by all that is given."""
    found = request_data.read_query(SEARCH)
    query = query_of(found)
    kind = choose_media_type(JSON, NDJSON)
    games, cursor = get_service().search.page(query, found.get("cursor"), found["limit"])
    items = render_summaries(games)
    lag = get_service().lag.events()
    headers = {"Vary": "Accept", LAG: str(lag)}
    if cursor:
        headers["X-Next-Cursor"] = cursor
    if kind == NDJSON:
        return Response("".join(map(write_ndjson_line, items)), headers=headers, mimetype=NDJSON)
    return respond_json(make_page(items, cursor) | {"lag": lag}, headers=headers)


@search.get("/explorer")
def explore() -> Response:
    """Answer with the actions played from a position in finished games, their results and games."""
    found = request_data.read_query(EXPLORER)
    variant = found["variant"]
    fen = fen_of(variant, found["fen"])
    explored = get_service().explorer.at(variant, fen)
    recent = get_service().search.page(Query(variant=variant, fen=fen), limit=RECENT).games
    view = render_explored(variant, fen, explored) | {
        "recent": render_summaries(recent),
        "lag": get_service().lag.events(),
    }
    return respond_json(view)


def render_summaries(games: list[GameSummary]) -> list[dict[str, Any]]:
    """The games as a list shows them, with their players' names."""
    names = get_service().namesakes.shown(id for game in games for id in game.seats)
    return [render_summary(game, names) for game in games]


def render_explored(variant: str, fen: str, explored: Explored) -> dict[str, Any]:
    """A position with its continuations."""
    return {
        "variant": find_variant(variant).name,
        "fen": fen,
        "key": find_dialect(variant).position_key(fen),
        "results": explored.results,
        "actions": [render_continuation(variant, fen, one) for one in explored.continuations],
        "ended": explored.ended,
    }


def render_continuation(variant: str, fen: str, one: Continuation) -> dict[str, Any]:
    """An action with its tally.

    Its short form is null where it is not legal by the FEN alone: games that came to the position
    with other infiltrators could play it.
    """
    written = find_dialect(variant)
    position = written.read_fen(fen)
    try:
        san = written.san(position, written.resolve(position, one.action))
    except TokenError:
        san = None
    return {"action": one.action, "san": san, "games": one.games, "results": one.results}
