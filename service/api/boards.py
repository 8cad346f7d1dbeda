"""`board.svg` and `board.png`: a game's position, or any other, as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response

from service.api import request_data
from service.api.bitmaps import paint
from service.api.context import find_bearer, get_service
from service.api.errors import BadParameter
from service.api.games import find_viewer, replay_to_ply
from service.api.responses import (
    answer_cached,
    answer_unchanged,
    choose_media_type,
    make_picture_policy,
)
from service.api.schemas.game_queries import (
    BoardSchema,
    GameBitmapSchema,
    GameBoardSchema,
    PositionBitmapSchema,
)
from service.api.search_filters import fen_of
from service.api.views import SIDE_NAMES, make_etag, render_standing
from service.boards.png import GROUNDS, draw_sized
from service.boards.registry import BOARDS
from service.boards.scene import Scene, make_scene, map_cells
from service.boards.svg import draw_picture, load_style, load_symbols

boards = Blueprint("boards", __name__, url_prefix="/api/v1")

SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
GAME_BOARD: Final = GameBoardSchema()
GAME_BITMAP: Final = GameBitmapSchema()
BOARD: Final = BoardSchema()
BITMAP: Final = PositionBitmapSchema()


class Wanted(NamedTuple):
    """What is to be drawn: a position, the side at the bottom, cells to highlight, and its ETag."""

    scene: Scene
    flipped: bool
    targets: list[str]
    etag: str


@boards.get("/games/<id:id>/board.svg")
def draw_game_board(id: str) -> Response:
    """A game's board as the viewer may see it; with `ply`, as it stood after that many actions."""
    found = request_data.read_query(GAME_BOARD)
    choose_media_type(SVG)
    return answer_drawing(find_game_position(id, found, "svg"))


@boards.get("/games/<id:id>/board.png")
def draw_game_bitmap(id: str) -> Response:
    """The same as a picture of pixels."""
    found = request_data.read_query(GAME_BITMAP)
    choose_media_type(PNG)
    view = "-".join(["png", *write_size(found)])
    return answer_bitmap(find_game_position(id, found, view), found)


@boards.get("/board.svg")
def draw_position_board() -> Response:
    """The board of any position."""
    found = request_data.read_query(BOARD)
    choose_media_type(SVG)
    return answer_drawing(find_any_position(found))


@boards.get("/board.png")
def draw_position_bitmap() -> Response:
    """The same as a picture of pixels."""
    found = request_data.read_query(BITMAP)
    choose_media_type(PNG)
    return answer_bitmap(find_any_position(found), found)


def find_game_position(id: str, found: Mapping[str, Any], view: str) -> Wanted:
    """What a query requests of a game; `view` distinguishes its format from others in the ETag."""
    ply, below = found.get("ply"), found["below"]
    state = get_service().games.load(id)
    seen = find_viewer(state)
    shown = f"{view}-{'' if ply is None else ply}-{below[0]}-{digest_drawing()}"
    etag = make_etag(state, shown, {}, seen)
    state = replay_to_ply(state, ply)
    last = state.played[-1].coordinate if state.played else None
    scene = make_scene(state.variant, render_standing(state, seen)["fen"], last)
    return Wanted(scene, below == SIDE_NAMES[1], [], etag)


def find_any_position(found: Mapping[str, Any]) -> Wanted:
    """What a query requests that states a position; raises BadParameter and BadFen."""
    variant, last = found["variant"], found.get("last")
    scene = make_scene(variant, fen_of(variant, found["fen"]), last)
    targets = list(dict.fromkeys(found["targets"].split(","))) if "targets" in found else []
    if not map_cells(scene.board).keys() >= set(targets):
        raise BadParameter("targets", "names of squares or spaces, joined by commas")
    asked = sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]
    flipped = found["below"] == SIDE_NAMES[1]
    return Wanted(scene, flipped, targets, f"{asked}-{digest_drawing()}")


def write_size(found: Mapping[str, Any]) -> list[str]:
    """The part of an ETag for the requested size and colours."""
    return [str(found["width"]), str(found.get("height", "")), "dark" if found["dark"] else "light"]


def answer_drawing(wanted: Wanted) -> Response:
    """The picture as an answer. It may be embedded anywhere, and can run and load nothing."""
    drawn = draw_picture(wanted.scene, wanted.flipped, wanted.targets)
    response = Response(drawn, mimetype=SVG)
    response.headers["Content-Security-Policy"] = make_picture_policy(load_style())
    return answer_cached(response, wanted.etag)


def answer_bitmap(wanted: Wanted, found: Mapping[str, Any]) -> Response:
    """The picture in pixels as an answer, unless the client has it: drawing it takes a while."""
    unchanged = answer_unchanged(wanted.etag)
    if unchanged is not None:
        return unchanged
    dark = found["dark"]
    drawn = draw_sized(
        wanted.scene,
        wanted.flipped,
        wanted.targets,
        width=found["width"],
        height=found.get("height"),
        dark=dark,
    )
    who = find_bearer()
    painted = paint(drawn, GROUNDS[dark], "" if who is None else who.actor.player)
    response = Response(painted, mimetype=PNG)
    return answer_cached(response, wanted.etag)


@cache
def digest_drawing() -> str:
    """A digest of how boards are drawn, so that nobody keeps an outdated picture."""
    sprites = [f"{board.sprite}{load_symbols(board.sprite)}" for board in BOARDS.values()]
    return sha256("".join([load_style(), *sprites]).encode()).hexdigest()[:8]
