"""What a board needs of a game: its positions for a replay, and everything its page shows."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from flask import Blueprint, Response

from engine.phrase import phrase
from service.api import request_data
from service.api.analyses import find_newest_analysis
from service.api.analyses import view as render_analysis
from service.api.context import get_service
from service.api.errors import BadParameter
from service.api.games import find_viewer, replay_to_ply
from service.api.position_views import render_line, render_position, render_positions
from service.api.responses import answer_by_content, answer_cached, digest_content, respond_json
from service.api.schemas.game_queries import PlySchema, PositionsSchema
from service.api.search import render_novelty
from service.api.views import list_people, make_etag, render_game, render_legal_actions
from service.errors import NotFound
from service.game.record import make_record
from service.game.redaction import Viewer
from service.game.state import GameState
from service.game.values import GameStatus
from service.log.chain import when
from service.projection.errors import DatabaseError
from service.records.export import prepare_record

game_boards = Blueprint("game_boards", __name__, url_prefix="/api/v1/games")

PLY = PlySchema()
POSITIONS = PositionsSchema()


@game_boards.get("/<id:id>/positions")
def list_positions(id: str) -> Response:
    """The positions of a game from the one after `from` actions on, as the viewer may know them.

    With `line` they are those of a line that leaves the game there.
    """
    found = request_data.read_query(POSITIONS)
    first, limit = found["first"], found["limit"]
    state = get_service().games.load(id)
    seen = find_viewer(state)
    length = len(state.played)
    if first > length:
        raise BadParameter("from", phrase("a whole number from 0 to {length}", length=length))
    last = min(length, first + limit - 1)
    line = found.get("line", "").split()
    items = render_line(state, seen, first, line) if line else None
    view = {
        "id": state.id,
        "version": state.version,
        "variant": state.variant,
        "ply": length,
        "items": list(items or render_positions(state, seen, first, last)),
        "next": None if items or last == length else last + 1,
    }
    asked = sha256(" ".join(line).encode()).hexdigest()[:16] if line else limit
    return answer_cached(
        respond_json(view), make_etag(state, f"positions-{first}-{asked}", {}, seen)
    )


@game_boards.get("/<id:id>/overview")
def show_overview(id: str) -> Response:
    """All that a game's page shows, from one state of the game; `ply` is the position's."""
    ply = request_data.read_query(PLY).get("ply")
    state = get_service().games.load(id)
    view = render_overview(state, replay_to_ply(state, ply), find_viewer(state))
    # The answer does not depend on the time.
    content = json.dumps({name: part for name, part in view.items() if name != "now"})
    return answer_by_content(respond_json(view), digest_content(content.encode()))


def render_overview(state: GameState, shown: GameState, seen: Viewer) -> dict[str, Any]:
    """A game with what its page shows beside it, and the position of `shown`, a replay of it."""
    names = get_service().namesakes.shown(list_people(state))
    return {
        "game": render_game(state, names, seen),
        "position": render_position(shown, seen),
        "legal": render_legal_actions(state, seen),
        **render_signature(state, seen),
        "analysis": find_analysis(state),
        "novelty": find_novelty(state),
        "now": when(get_service().games.clock()),
    }


def render_signature(state: GameState, seen: Viewer) -> dict[str, str]:
    """The digest of the game's record as it is exported, and the id of the key that signs it."""
    names = get_service().players.names(state.seats)
    unsigned = prepare_record(make_record(state, names, seen))
    return {"record_hash": unsigned.hash, "record_key": get_service().signer.key}


def find_analysis(state: GameState) -> dict[str, Any] | None:
    """The analysis of the game that shows the viewer most, None if nobody has requested one."""
    try:
        return render_analysis(find_newest_analysis(state))
    except NotFound:
        return None


def find_novelty(state: GameState) -> dict[str, Any] | None:
    """Where a finished game left the archive; None for others, and while the lists are away."""
    if state.status is not GameStatus.FINISHED:
        return None
    try:
        return render_novelty(state)
    except DatabaseError:
        return None
