"""`/events` and `/stream`: the feed of all games, as pages and as a stream."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, Response, request

from service.api import request_data
from service.api.context import address, get_service, get_web
from service.api.errors import BadParameter
from service.api.feed_stream import FeedMessages
from service.api.responses import NDJSON, choose_media_type, write_ndjson_line
from service.api.schemas.feed import EventPageSchema, FeedStreamSchema
from service.api.schemas.queries import QuerySchema
from service.api.server_sent_events import stream_events
from service.game_feed.errors import UnknownFilter
from service.game_feed.filter import Filter, check_known, find_types
from service.game_feed.position import Position

game_feed = Blueprint("game_feed", __name__, url_prefix="/api/v1")

PAGE = EventPageSchema()
STREAM = FeedStreamSchema()
START: Final = "start"
NOW: Final = "now"
NO_FILTERS: Final = ("after", "limit", "until")


@game_feed.get("/events")
def list_events() -> Response:
    """A page of the feed: an event a line, then a line with the position after them."""
    found = read_feed_query(PAGE)
    choose_media_type(NDJSON)
    filter, position = read_filter(found), read_position(found["after"])
    page = get_web().feed.read(position, filter, found["limit"])
    lines = [event.json + "\n" for event, _ in page.events]
    behind = {"position": get_web().positions.write(page.position), "caught_up": page.caught_up}
    headers = {"Cache-Control": "no-store"}
    return Response("".join([*lines, write_ndjson_line(behind)]), headers=headers, mimetype=NDJSON)


@game_feed.get("/stream")
def follow_games() -> Response:
    """The feed after `Last-Event-ID` (or `after`), then each event as it comes."""
    found = read_feed_query(STREAM)
    filter = read_filter(found)
    position = read_position(request.headers.get("Last-Event-ID", found["after"]))
    web = get_web()
    subscription = web.hub.subscribe_feed(filter.topics, address())
    messages = FeedMessages(web.hub, web.positions, filter, position, subscription)
    return stream_events(messages.stream_messages("until" in found), subscription)


def read_feed_query(schema: QuerySchema) -> dict[str, Any]:
    """The query parameters; raises UnknownFilter, and BadParameter for an invalid filter."""
    try:
        return request_data.read_query(schema)
    except BadParameter as error:
        if error.parameter in NO_FILTERS:
            raise
        raise UnknownFilter(error.parameter, error.reason) from error


def read_filter(found: dict[str, Any]) -> Filter:
    """The filter that a query states; raises UnknownFilter."""
    filter = Filter(
        variant=found.get("variant"),
        player=found.get("player"),
        tournament=found.get("tournament"),
        games=frozenset(found["games"].split(",")) if "games" in found else frozenset(),
        types=find_types(found["types"].split(",")) if "types" in found else None,
    )
    check_known(filter, get_service().log)
    return filter


def read_position(text: str) -> Position:
    """The position that a text denotes; raises BadPosition."""
    if text == START:
        return get_web().feed.find_start()
    return get_web().feed.find_end() if text == NOW else get_web().positions.read(text)
