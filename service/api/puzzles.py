"""`/api/v1/puzzles`: puzzles, how a try of one stands, and what solves it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from flask import Blueprint, Response

from engine.position import Action, Position
from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.api import request_data
from service.api.context import get_service
from service.api.responses import respond_json
from service.api.schemas.puzzles import DailySchema, PuzzleListSchema, PuzzlesSchema, TrySchema
from service.boards.board_position import Course, describe_position
from service.boards.described_actions import describe_actions, split_captures
from service.boards.gains import Gain, play_counted
from service.boards.svg import SIDES
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from service.puzzles.solving import Standing, Try, try_puzzle
from service.puzzles.themes import THEMES

puzzles = Blueprint("puzzles", __name__, url_prefix="/api/v1/puzzles")

LIST: Final = PuzzleListSchema()
NEXT: Final = PuzzlesSchema()
DAILY: Final = DailySchema()
TRY: Final = TrySchema()


@puzzles.get("")
def list_puzzles() -> Response:
    """A page of the puzzles of a variant and a theme, by id."""
    found = request_data.read_query(LIST)
    fitting = load_collection().list_puzzles(
        found.get("variant"), found.get("theme"), found["after"]
    )
    return respond_json({"items": [render_puzzle(one) for one in islice(fitting, found["limit"])]})


@puzzles.get("/themes")
def list_themes() -> Response:
    """How many puzzles each game has of each theme."""
    request_data.read_query()
    counted = [
        {"variant": variant, "theme": theme, "puzzles": themes[theme]}
        for variant in VARIANTS
        for themes in [load_collection().count_themes(variant)]
        for theme in THEMES
        if theme in themes
    ]
    return respond_json({"items": counted})


@puzzles.get("/next")
def show_next() -> Response:
    """The puzzle that follows another, of a variant and a theme."""
    found = request_data.read_query(NEXT)
    following = load_collection().find_next(
        found.get("variant"), found.get("theme"), found["after"]
    )
    return respond_json(render_puzzle(following))


@puzzles.get("/daily")
def show_daily() -> Response:
    """The puzzle of the day, which begins at midnight UTC."""
    found = request_data.read_query(DAILY)
    day = datetime.fromtimestamp(get_service().players.clock() / 1000, UTC).date()
    puzzle = load_collection().find_daily(day, found.get("variant"))
    return respond_json({**render_puzzle(puzzle), "day": day.isoformat()})


@puzzles.get("/<puzzle>")
def show_puzzle(puzzle: str) -> Response:
    """A puzzle, without what solves it."""
    return respond_json(render_puzzle(load_collection().find(puzzle)))


@puzzles.get("/<puzzle>/position")
def show_try(puzzle: str) -> Response:
    """How a puzzle stands after the solver's actions, with what may be played."""
    found = request_data.read_query(TRY)
    known = load_collection().find(puzzle)
    return respond_json(render_try(try_puzzle(known, found["actions"].split())))


@puzzles.get("/<puzzle>/solution")
def show_solution(puzzle: str) -> Response:
    """The line that solves a puzzle."""
    found = load_collection().find(puzzle)
    return respond_json({**render_puzzle(found), "line": render_line(found, read_line(found))})


def read_line(puzzle: Puzzle) -> list[Action]:
    """The actions of a puzzle's line."""
    dialect = find_dialect(puzzle.variant)
    position, line = dialect.read_fen(puzzle.fen), []
    for token in puzzle.line:
        line.append(dialect.resolve(position, token))
        position.play(line[-1])
    return line


def render_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as everybody may know it."""
    position = find_dialect(puzzle.variant).read_fen(puzzle.fen)
    return {
        "id": puzzle.id,
        "variant": puzzle.variant,
        "fen": puzzle.fen,
        "side": SIDES[position.side],
        "last": puzzle.last,
        "themes": list(puzzle.themes),
        "rating": puzzle.rating,
    }


def render_try(tried: Try) -> dict[str, Any]:
    """How a try stands, and the position that it has come to."""
    puzzle, dialect = tried.puzzle, tried.dialect
    position, course = follow(tried)
    playable = position.legal() if tried.standing is not Standing.SOLVED else []
    wrong = None if tried.refused is None else dialect.san(position, tried.refused)
    return {
        "standing": tried.standing,
        "wrong": wrong,
        "played": render_line(puzzle, tried.played),
        "position": describe_position(puzzle.variant, position, course),
        "actions": describe_actions(puzzle.variant, position, playable),
        **split_captures(dialect.list_captures(position) if playable else ()),
    }


def follow(tried: Try) -> tuple[Position, Course]:
    """The position of a try, and how it came about."""
    position = tried.dialect.read_fen(tried.puzzle.fen)
    course = Course(action=tried.puzzle.last)
    gains: list[Gain] = []
    for ply, action in enumerate(tried.played, 1):
        texts = tried.dialect.coordinate(action), tried.dialect.san(position, action)
        gains += play_counted(position, action)
        course = Course(ply, *texts, gains)
    return position, course


def render_line(puzzle: Puzzle, line: list[Action]) -> list[dict[str, Any]]:
    """The actions of a line, each with who plays it."""
    dialect = find_dialect(puzzle.variant)
    position, told = dialect.read_fen(puzzle.fen), []
    for ply, action in enumerate(line, 1):
        one = {"ply": ply, "number": position.number, "side": SIDES[position.side]}
        coordinate = dialect.coordinate(action)
        told.append({**one, "action": coordinate, "san": dialect.advance(position, action)})
    return told
