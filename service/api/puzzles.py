"""`/api/v1/puzzles`: puzzles, the state of a try, and the solutions."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Final

from flask import Blueprint, Response

from engine.registry import VARIANTS
from service.api import request_data
from service.api.answer_cache import cache_answer
from service.api.context import get_service
from service.api.puzzle_attempts import find_attempt, find_solver, find_source
from service.api.puzzle_views import (
    read_line,
    render_line,
    render_puzzle,
    render_source,
    render_try,
)
from service.api.responses import respond_json
from service.api.schemas.puzzles import DailySchema, PuzzleListSchema, PuzzlesSchema, TrySchema
from service.projection.puzzles.puzzle_list import ListedPuzzle
from service.puzzles.collection import load_collection
from service.puzzles.errors import WithdrawnPuzzle
from service.puzzles.solving import try_puzzle
from service.rating.glicko2 import Rating

puzzles = Blueprint("puzzles", __name__, url_prefix="/api/v1/puzzles")

LIST: Final = PuzzleListSchema()
NEXT: Final = PuzzlesSchema()
DAILY: Final = DailySchema()
TRY: Final = TrySchema()

NEWEST: Final = 50
"""How many of a player's attempts are looked up in the log, since the lists may lag behind it."""


@puzzles.get("")
def list_puzzles() -> Response:
    """A page of the puzzles of a variant and a theme, by id."""
    found = request_data.read_query(LIST)
    variant, theme = found.get("variant"), found.get("theme")
    page = get_service().puzzle_list.page(variant, theme, found["after"], found["limit"])
    cache_answer()
    return respond_json({"items": list(map(render_puzzle, page))})


@puzzles.get("/themes")
def list_themes() -> Response:
    """How many puzzles each game has of each theme."""
    request_data.read_query()
    counted = get_service().puzzle_list.count_themes()
    cache_answer()
    return respond_json({"items": [one._asdict() for one in counted]})


@puzzles.get("/next")
def show_next() -> Response:
    """An untried puzzle near the player's rating; otherwise the one that follows another."""
    found = request_data.read_query(NEXT)
    variant, theme, after = found.get("variant"), found.get("theme"), found["after"]
    known = find_new(variant, theme, after)
    if known is None:
        known = get_service().puzzle_list.find_following(variant, theme, after)
    return respond_json(render_puzzle(known), headers={"Cache-Control": "private, no-store"})


def find_new(variant: str | None, theme: str | None, but: str) -> ListedPuzzle | None:
    """A puzzle that the solver has not tried; None if the solver is not rated, or none is left."""
    player = find_solver().player
    if player is None:
        return None
    service = get_service()
    rated = service.puzzle_ratings.of(player, service.players.clock())
    ratings = {
        name: rated[name].rating.rating if name in rated else Rating().rating
        for name in ([variant] if variant else VARIANTS)
    }
    newest = service.solvers.list_newest(player, NEWEST)
    return service.puzzle_list.find_near(player, ratings, theme, but, newest)


@puzzles.get("/daily")
def show_daily() -> Response:
    """The puzzle of the day, which begins at midnight UTC; one that comes with the service."""
    found = request_data.read_query(DAILY)
    day = datetime.fromtimestamp(get_service().players.clock() / 1000, UTC).date()
    known = find_daily(day, found.get("variant"))
    return respond_json({**render_puzzle(known), "day": day.isoformat()})


def find_daily(day: date, variant: str | None) -> ListedPuzzle:
    """The puzzle of a day, or the one after it if that is withdrawn; raises NoPuzzle.

    If all that come with the service are withdrawn, it is another one.
    """
    puzzles = get_service().puzzle_list
    for chosen in load_collection().list_daily(day, variant):
        with suppress(WithdrawnPuzzle):
            return puzzles.find(chosen.id)
    return puzzles.find_following(variant, None)


@puzzles.get("/<puzzle>")
def show_puzzle(puzzle: str) -> Response:
    """A puzzle, without what solves it."""
    request_data.read_query()
    return respond_json(render_puzzle(get_service().puzzle_list.find(puzzle)))


@puzzles.get("/<puzzle>/position")
def show_try(puzzle: str) -> Response:
    """The state of a puzzle after the solver's actions, with the legal actions."""
    found = request_data.read_query(TRY)
    known, solver = get_service().puzzle_list.find(puzzle), find_solver()
    actions = found["actions"].split()
    if solver.player is not None and actions:
        get_service().solvers.check_tried(solver.player, puzzle)
    attempt, unrated = find_attempt(solver, puzzle)
    tried = try_puzzle(known.puzzle, actions)
    return respond_json(render_try(tried, attempt, unrated, find_source(tried, attempt)))


@puzzles.get("/<puzzle>/solution")
def show_solution(puzzle: str) -> Response:
    """The line that solves a puzzle and its game, for players once their attempts are over."""
    request_data.read_query()
    known, player = get_service().puzzle_list.find(puzzle), find_solver().player
    if player is not None:
        get_service().solvers.check_tried(player, puzzle)
    line = render_line(known.puzzle, read_line(known.puzzle))
    source = render_source(get_service().puzzle_list.find_source(puzzle))
    return respond_json({**render_puzzle(known), "line": line, "game": source})
