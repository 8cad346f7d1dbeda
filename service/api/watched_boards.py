"""`/boards`, `/boards/stream`: several games at once, as everybody may know them."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from service.api import request_data
from service.api.board_messages import BoardsMessages
from service.api.context import address, get_web
from service.api.errors import MalformedHeader
from service.api.responses import NDJSON, choose_media_type
from service.api.schemas.feed import BoardsSchema, BoardsStreamSchema
from service.api.server_sent_events import stream_events
from service.api.shared_boards import SharedBoard
from service.errors import NotFound
from service.game.repository import stream_of

watched_boards = Blueprint("watched_boards", __name__, url_prefix="/api/v1/boards")
logger = logging.getLogger(__name__)

BOARDS: Final = BoardsSchema()
STREAM: Final = BoardsStreamSchema()
PLACE: Final = re.compile("[0-9]{1,9}(-[0-9]{1,9})*")


@watched_boards.get("")
def list_boards() -> Response:
    """How these games stand, a line for each, without those that cannot be read."""
    boards = share_boards(request_data.read_query(BOARDS)["games"])
    choose_media_type(NDJSON)
    lines = [board.write_state(None).data + b"\n" for board in boards if load_board(board)]
    return Response(b"".join(lines), headers={"Cache-Control": "no-store"}, mimetype=NDJSON)


@watched_boards.get("/stream")
def follow_boards() -> Response:
    """How these games stand, and each anew whenever it has changed."""
    found = request_data.read_query(STREAM)
    boards = share_boards(found["games"])
    known = find_known_versions(len(boards))
    hub = get_web().hub
    topics = [str(stream_of(board.id)) for board in boards]
    subscription = hub.subscribe_each(topics, address())
    try:
        # What is appended from now on is in the subscription.
        for board in boards:
            load_board(board)
    except BaseException:
        hub.unsubscribe(subscription)
        raise
    messages = BoardsMessages(boards, known, subscription)
    return stream_events(messages.stream_messages("until" in found), subscription)


def share_boards(written: str) -> list[SharedBoard]:
    """The boards of the games with these ids; duplicates are left out."""
    return [get_web().boards.share(id) for id in dict.fromkeys(written.split(","))]


def load_board(board: SharedBoard) -> bool:
    """Read the current game, and return whether it can be read; raises NotFound."""
    try:
        board.load()
    except (NotFound, RedisError):
        raise
    except Exception:
        logger.exception("game %s cannot be shown", board.id)
        return False
    return True


def find_known_versions(count: int) -> Sequence[int]:
    """The versions that a client has of `count` games, by `Last-Event-ID`; 0 for each without one.

    Raises MalformedHeader.
    """
    header = request.headers.get("Last-Event-ID")
    if header is None:
        return [0] * count
    versions = header.split("-") if PLACE.fullmatch(header) else []
    if len(versions) != count:
        raise MalformedHeader("Last-Event-ID", "the id of an event of this stream")
    return [int(version) for version in versions]
