"""`/challenges`, `/me/challenges`, `/games/{id}/rematch`: who wants to play, and on what terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import address, get_service, get_web, require_bearer
from service.api.games import answer_created
from service.api.lobby_stream import LobbyListing, LobbyMessages
from service.api.readable_games import load_each_readable
from service.api.responses import make_page, respond_json
from service.api.schemas.lobby import LobbySchema, LobbyStreamSchema, OwnChallengesSchema
from service.api.server_sent_events import stream_events
from service.api.views import render_summary
from service.game.rematch import ask_for_rematch
from service.game.state import GameState
from service.game.values import GameStatus
from service.game_feed.filter import LOBBY
from service.projection.challenges import ChallengeFilter, Place, is_in_lobby
from service.projection.errors import BadCursor
from service.projection.namesakes import Namesakes
from service.projection.summary import summarise

lobby = Blueprint("lobby", __name__, url_prefix="/api/v1")

PAGE: Final = LobbySchema()
STREAM: Final = LobbyStreamSchema()
OWN_PAGE: Final = OwnChallengesSchema()
CURSOR: Final = re.compile(r"([0-9]{1,15})-([a-z2-7]{16})")


@lobby.get("/challenges")
def list_challenges() -> Response:
    """The challenges that anybody may accept, newest first."""
    found = request_data.read_query(PAGE)
    limit, after = found["limit"], read_place(found.get("cursor"))
    parts = get_service()
    places = parts.challenges.list_open(read_filter(found), parts.games.clock(), limit + 1, after)
    return answer_page(places, limit, is_in_lobby)


@lobby.get("/me/challenges")
def list_own_challenges() -> Response:
    """The challenges that the player has made or received, newest first; private ones too."""
    player = require_bearer().actor.player
    found = request_data.read_query(OWN_PAGE)
    limit, after = found["limit"], read_place(found.get("cursor"))
    places = get_service().challenges.list_of_player(player, limit + 1, after)
    return answer_page(places, limit, lambda one: one.status is GameStatus.OFFERED)


@lobby.get("/challenges/stream")
def follow_challenges() -> Response:
    """The challenges that anybody may accept, then each that comes or goes.

    The list is whole at every connection, so that nothing has to be resumed.
    """
    found = request_data.read_query(STREAM)
    parts, hub = get_service(), get_web().hub
    subscription = hub.subscribe_feed([LOBBY], address())
    listing = LobbyListing(
        parts.challenges, parts.checkpoints, parts.log, parts.games, read_filter(found)
    )
    render = partial(render_challenges, parts.namesakes)
    messages = LobbyMessages(listing, subscription, render)
    return stream_events(messages.stream_messages("until" in found), subscription)


@lobby.post("/games/<id:id>/rematch")
def rematch(id: str) -> Response:
    """Offer a rematch to the other player, or accept theirs; 201 with the new game."""
    actor = require_bearer().actor
    request_data.read_body(request_data.NO_FIELDS)
    parts = get_service()
    return answer_created(ask_for_rematch(parts.games, parts.secret, id, actor))


def read_filter(found: dict[str, Any]) -> ChallengeFilter:
    """The filter that a query states."""
    return ChallengeFilter(found.get("variant"), found.get("speed"), found.get("rated"))


def read_place(cursor: str | None) -> Place | None:
    """Where a page begins; raises BadCursor."""
    if cursor is None:
        return None
    found = CURSOR.fullmatch(cursor)
    if found is None:
        raise BadCursor
    return int(found[1]), found[2]


def load(places: Sequence[Place]) -> list[GameState]:
    """The challenges at these places, as they are now."""
    return list(load_each_readable(get_service().games, [id for _, id in places]).values())


def answer_page(
    places: Sequence[Place], limit: int, is_open: Callable[[GameState], bool]
) -> Response:
    """A page of the challenges at up to `limit` of these places that are still open.

    More places than that mean that another page follows.
    """
    cursor = "{}-{}".format(*places[limit - 1]) if len(places) > limit else None
    found = [one for one in load(places[:limit]) if is_open(one)]
    items = render_challenges(get_service().namesakes, found)
    return respond_json(make_page(items, cursor) | {"partial": False})


def render_challenges(
    namesakes: Namesakes, challenges: Sequence[GameState]
) -> list[dict[str, Any]]:
    """Challenges, as lists show games; the players' names are looked up together."""
    if not challenges:
        return []
    names = namesakes.shown(chain.from_iterable(one.seats for one in challenges))
    return [render_summary(summarise(one), names) for one in challenges]
