"""`/api/v1/search`, `/api/v1/explorer` and novelties: games by their properties and positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response

from engine.registry import find_variant
from notation.errors import TokenError
from notation.registry import find_dialect
from service.api import request_data
from service.api.answer_cache import cache_answer
from service.api.context import get_service
from service.api.games import find_viewer
from service.api.responses import (
    JSON,
    NDJSON,
    answer_by_content,
    answer_cached,
    answer_unchanged,
    choose_media_type,
    make_page,
    respond_json,
    write_ndjson_line,
)
from service.api.schemas.game_queries import ExplorerSchema, SearchSchema
from service.api.search_filters import query_of
from service.api.views import list_summaries, render_opening
from service.game.errors import NotFinished
from service.game.evolve import at_ply
from service.game.redaction import seen_position
from service.game.state import GameState
from service.game.values import GameStatus
from service.openings.self_play.statistics import read_statistics
from service.projection.games.explorer import Continuation, Explored
from service.projection.games.novelty import find_novelty
from service.projection.games.query import Query, Sort
from service.projection.games.tally import Tally
from service.projection.summary import GameSummary

search = Blueprint("search", __name__, url_prefix="/api/v1")

SEARCH = SearchSchema()
EXPLORER = ExplorerSchema()
LAG = "X-Projection-Lag"


@search.get("/search")
def find() -> Response:
    """Find games by all that is given, newest first or sorted otherwise."""
    found = request_data.read_query(SEARCH)
    query = query_of(found)
    kind = choose_media_type(JSON, NDJSON)
    games = get_service().search
    page = games.page(query, found.get("cursor"), found["limit"], Sort(found["sort"]))
    items = render_summaries(page.games)
    lag = get_service().lag.events()
    headers = {"Vary": "Accept", LAG: str(lag)}
    if page.next_cursor:
        headers["X-Next-Cursor"] = page.next_cursor
    if kind == NDJSON:
        return Response("".join(map(write_ndjson_line, items)), headers=headers, mimetype=NDJSON)
    counted = games.count(query) if found["count"] else None
    more = {
        "lag": lag,
        "partial": page.partial,
        "count": None if counted is None else counted._asdict(),
    }
    response = respond_json(make_page(items, page.next_cursor) | more, headers=headers)
    if not page.partial and (counted is None or counted.exact):
        cache_answer()
    return answer_by_content(response)


@search.get("/explorer")
def explore() -> Response:
    """Answer with the actions played from a position in finished games, their results and games."""
    query = query_of(request_data.read_query(EXPLORER))
    query.check()
    explorer, lag = get_service().explorer, get_service().lag.events()
    # Read first, so that an answer is no older than its ETag says.
    version = explorer.read_version()
    etag = f"{version:x}-{lag}"
    unchanged = answer_unchanged(etag)
    if unchanged is not None:
        return unchanged
    view = render_explored(query, explorer.explore(query, version))
    response = respond_json(view | {"lag": lag})
    # The rest may be there the next time.
    return answer_cached(response, f"{etag}-partial" if view["partial"] else etag)


@search.get("/games/<id:id>/novelty")
def show_novelty(id: str) -> Response:
    """Where a finished game left the archive, and which game came with it the furthest."""
    request_data.read_query()
    state = get_service().games.load(id)
    if state.status is not GameStatus.FINISHED:
        raise NotFinished
    return respond_json(render_novelty(state))


def render_novelty(state: GameState) -> dict[str, Any]:
    """Where a finished game left the archive; raises DatabaseError while the lists are away."""
    found = find_novelty(get_service().database, state)
    played = None if found.ply is None else state.played[found.ply - 1]
    left = at_ply(state, len(state.played) if found.ply is None else found.ply - 1)
    return {
        "ply": found.ply,
        "action": played and played.coordinate,
        "san": played and played.san,
        "fen": find_dialect(state.variant).write_fen(seen_position(left, find_viewer(state))),
        "games": found.games,
        "last": render_summaries([found.last])[0] if found.last else None,
        "lag": get_service().lag.events(),
    }


def render_summaries(games: list[GameSummary]) -> list[dict[str, Any]]:
    """The games as a list shows them, with their players' names."""
    names = get_service().namesakes.shown(id for game in games for id in game.seats)
    return list_summaries(games, names, get_service().games)


def render_explored(query: Query, explored: Explored) -> dict[str, Any]:
    """A position with its continuations."""
    assert query.variant is not None
    assert query.fen is not None
    variant, fen = find_variant(query.variant).name, query.fen
    key = find_dialect(variant).position_key(fen)
    return {
        "variant": variant,
        "fen": fen,
        "key": key,
        "results": explored.total.results,
        "rating": explored.total.rating,
        "actions": render_continuations(variant, fen, explored.continuations),
        "ended": explored.ended.results,
        "recent": render_summaries(explored.recent),
        "top": render_summaries(explored.top),
        "partial": explored.partial,
        "opening": render_opening(explored.opening),
        "self_play": render_self_play(variant, fen, key),
    }


def render_self_play(variant: str, fen: str, key: str) -> dict[str, Any] | None:
    """The search's games against itself from a position; None if it seldom reached it."""
    statistics = read_statistics(variant)
    played = statistics and statistics.find(key)
    if not statistics or not played:
        return None
    total = Tally()
    continuations = []
    for action, results in played.items():
        tally = Tally(dict.fromkeys(total.results, 0) | dict(results))
        total.add(tally)
        continuations.append(Continuation(action, tally))
    return {
        "nodes": statistics.source.nodes,
        "results": total.results,
        "actions": render_continuations(variant, fen, continuations),
    }


def render_continuations(
    variant: str, fen: str, continuations: Sequence[Continuation]
) -> list[dict[str, Any]]:
    """Actions with their tallies.

    The short form is null if an action is not legal by the FEN alone: games that reached the
    position with other infiltrators could play it.
    """
    short_forms = write_sans(variant, fen, tuple(one.action for one in continuations))
    return [
        {
            "action": one.action,
            "san": san,
            "games": one.tally.games,
            "results": one.tally.results,
            "rating": one.tally.rating,
        }
        for one, san in zip(continuations, short_forms, strict=True)
    ]


# Popular positions are requested often, and their games go on with the same actions.
@lru_cache(maxsize=256)
def write_sans(variant: str, fen: str, actions: tuple[str, ...]) -> tuple[str | None, ...]:
    """The short forms of actions in coordinate form; None for those that are not legal."""
    written = find_dialect(variant)
    position = written.read_fen(fen)
    found: list[str | None] = []
    for action in actions:
        try:
            found.append(written.san(position, written.resolve(position, action)))
        except TokenError:
            found.append(None)
    return tuple(found)
