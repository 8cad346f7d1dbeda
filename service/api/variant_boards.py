"""The board of a variant, and any position on it with what may be played."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from flask import Blueprint, Response

from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.api import request_data
from service.api.responses import answer_by_content, answer_cached, respond_json
from service.api.schemas.game_queries import GeometrySchema, PlayedPositionSchema
from service.api.search_filters import fen_of
from service.boards.board_position import Course, describe_position
from service.boards.described_actions import describe_actions, split_captures
from service.boards.gains import Gain, play_counted
from service.boards.geometry import describe_geometry, digest_geometry
from service.errors import NotFound

variant_boards = Blueprint("variant_boards", __name__, url_prefix="/api/v1/variants")

GEOMETRY: Final = GeometrySchema()
POSITION: Final = PlayedPositionSchema()
FOR_EVER: Final = "public, max-age=31536000, immutable"
"""How long a geometry may be cached if its address names its version."""


@variant_boards.get("/<variant>/board")
def show_geometry(variant: str) -> Response:
    """All that a client needs to draw any position of a variant."""
    version = request_data.read_query(GEOMETRY).get("version")
    check_variant(variant)
    digest = digest_geometry(variant)
    response = answer_by_content(respond_json(describe_geometry(variant)), digest)
    # Not private: it is the same for all.
    response.headers["Cache-Control"] = FOR_EVER if version == digest else "public, no-cache"
    return response


@variant_boards.get("/<variant>/position")
def show_position(variant: str) -> Response:
    """A position with its legal actions; the one behind `action`, if that is given."""
    found = request_data.read_query(POSITION)
    check_variant(variant)
    written = find_dialect(variant)
    position, course = written.read_fen(fen_of(variant, found["fen"])), Course()
    gains: list[Gain] = []
    for ply, token in enumerate(found.get("action", "").split(), 1):
        action = written.resolve(position, token)
        texts = written.coordinate(action), written.san(position, action)
        gains += play_counted(position, action)
        course = Course(ply, *texts, gains)
    view = {
        "position": describe_position(variant, position, course),
        "actions": describe_actions(variant, position, position.legal()),
        **split_captures(written.list_captures(position)),
    }
    asked = sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]
    return answer_cached(respond_json(view), f"{digest_geometry(variant)}-{asked}")


def check_variant(name: str) -> None:
    """Raise NotFound unless there is a variant of this name."""
    if name not in VARIANTS:
        raise NotFound("variant", name)
