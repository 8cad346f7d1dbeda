"""`board.svg`: a game's position, or any, as a picture."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import get_service
from service.api.errors import BadParameter
from service.api.games import find_viewer, replay_to_ply
from service.api.responses import answer_cached, choose_media_type, make_picture_policy
from service.api.schemas.game_queries import BoardSchema, GameBoardSchema
from service.api.search_filters import fen_of
from service.api.views import SIDE_NAMES, make_etag, render_standing
from service.boards.registry import BOARDS
from service.boards.scene import Scene, make_scene, map_cells
from service.boards.svg import draw_picture, load_style, load_symbols

boards = Blueprint("boards", __name__, url_prefix="/api/v1")

SVG: Final = "image/svg+xml"
GAME_BOARD: Final = GameBoardSchema()
BOARD: Final = BoardSchema()


@boards.get("/games/<id:id>/board.svg")
def draw_game_board(id: str) -> Response:
    """A game's board as the viewer may see it; with `ply`, as it stood after that many actions."""
    found = request_data.read_query(GAME_BOARD)
    ply, below = found.get("ply"), found["below"]
    choose_media_type(SVG)
    state = get_service().games.load(id)
    seen = find_viewer(state)
    view = f"svg-{'' if ply is None else ply}-{below[0]}-{digest_drawing()}"
    etag = make_etag(state, view, {}, seen)
    state = replay_to_ply(state, ply)
    last = state.played[-1].coordinate if state.played else None
    return answer_picture(
        make_scene(state.variant, render_standing(state, seen)["fen"], last), below, [], etag
    )


@boards.get("/board.svg")
def draw_position_board() -> Response:
    """The board of any position."""
    found = request_data.read_query(BOARD)
    variant, below, last = found["variant"], found["below"], found.get("last")
    choose_media_type(SVG)
    shown = make_scene(variant, fen_of(variant, found["fen"]), last)
    targets = found["targets"].split(",") if "targets" in found else []
    for name in targets:
        if name not in map_cells(shown.board):
            raise BadParameter("targets", "names of squares or spaces, joined by commas")
    asked = sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]
    return answer_picture(shown, below, targets, f"{asked}-{digest_drawing()}")


def answer_picture(shown: Scene, below: str, targets: list[str], etag: str) -> Response:
    """The picture as an answer. It may be embedded anywhere, and can run and load nothing."""
    flipped = below == SIDE_NAMES[1]
    response = Response(draw_picture(shown, flipped, dict.fromkeys(targets)), mimetype=SVG)
    response.headers["Content-Security-Policy"] = make_picture_policy(load_style())
    return answer_cached(response, etag)


@cache
def digest_drawing() -> str:
    """Stands for how boards are drawn, so that nobody keeps an old picture."""
    sprites = [f"{board.sprite}{load_symbols(board.sprite)}" for board in BOARDS.values()]
    return sha256("".join([load_style(), *sprites]).encode()).hexdigest()[:8]
