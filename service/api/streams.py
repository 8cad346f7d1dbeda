"""`/games/…/stream`, `/tournaments/…/stream`, `/me/stream`: logs and tasks as they change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response
from redis.exceptions import RedisError

from service.api import request_data
from service.api.board_messages import BoardMessages
from service.api.context import address, find_bearer, get_service, get_web, require_bearer
from service.api.lasting_rights import watch_rights
from service.api.player_stream import RETRY, Listing, PlayerMessages
from service.api.schemas.queries import (
    CAUGHT_UP,
    GameStreamSchema,
    OwnStreamSchema,
    StreamSchema,
)
from service.api.server_sent_events import (
    KEEP_ALIVE,
    KEEP_ALIVE_COMMENT,
    find_start,
    stream_events,
    write_event,
)
from service.api.subscriptions import Dropped, News, Subscription
from service.api.views import render_clocks
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.chain import public_part
from service.log.pages import read_pages
from service.tournament.repository import Tournaments
from service.tournament.repository import stream_of as tournament_stream

streams = Blueprint("streams", __name__, url_prefix="/api/v1")

PROJECTED_WITHIN: Final = 5.0
"""Seconds to wait for the list of open games to catch up before the first ones are sent."""
BATCH: Final = 500
STREAM = StreamSchema()
GAME_STREAM = GameStreamSchema()
OWN_STREAM = OwnStreamSchema()


@streams.get("/games/<id:id>/stream")
def follow_game(id: str) -> Response:
    """The events of a game: those after `Last-Event-ID` (or `after`), then each as it comes.

    With `view=board` the game as it stands for the viewer, anew whenever it has changed.
    """
    found = request_data.read_query(GAME_STREAM)
    games = get_service().games
    state = games.load(id)
    after = find_start(found["after"], state.version)
    known = find_bearer()
    subscription = get_web().hub.subscribe(str(stream_of(id)), address(), None)
    ends, timed = "until" in found, state.clock is not None
    if "view" in found:
        actor = known.actor if known else None
        board = get_web().boards.share(id)
        boards = BoardMessages(board, actor, watch_rights(), subscription)
        return stream_events(boards.stream_messages(ends), subscription)
    messages = stream_game_messages(games, id, after, subscription, ends, timed)
    return stream_events(messages, subscription)


def stream_game_messages(
    games: Games,
    id: str,
    after: int,
    subscription: Subscription[News],
    ends: bool,
    timed: bool,
) -> Iterator[str]:
    """The messages of a game's stream; what is missing is read from the log, nothing is sent twice.

    In a game with clocks, these are sent after the events that change them.
    """
    log = games.log
    try:
        for batch in read_pages(log, stream_of(id), after):
            for entry in batch:
                yield write_event(None, public_part(stream_of(id), entry), str(entry.version))
            after = batch[-1].version
        if timed:
            yield write_clocks(games, id)
        yield write_event(CAUGHT_UP, {"version": after}, str(after))
        while not ends:
            news = subscription.wait_for_news(KEEP_ALIVE)
            if news is None:
                yield KEEP_ALIVE_COMMENT
                continue
            if news.pointer.first > after + 1:
                # It missed something, and comes back for it.
                return
            for entry in news.recorded:
                if entry.version > after:
                    yield write_event(None, public_part(stream_of(id), entry), str(entry.version))
                    after = entry.version
            if timed:
                yield write_clocks(games, id)
    except Dropped:
        return


def load_patiently(games: Games, id: str) -> GameState:
    """The current state of a game; like the reader of the feeds, waits while the store is away."""
    while True:
        try:
            return games.load(id)
        except RedisError:
            time.sleep(RETRY)


def write_clocks(games: Games, id: str) -> str:
    """The message with both clocks of a game as they are now; it has no id."""
    state = load_patiently(games, id)
    return write_event("clocks", {"version": state.version, **render_clocks(state.clock)})


@streams.get("/tournaments/<id:id>/stream")
def follow_tournament(id: str) -> Response:
    """The events of a tournament, as of a game; a round is sent when it is ready.

    A client that has a later version than was sent still knows nothing of the round in the making.
    """
    found = request_data.read_query(STREAM)
    tournaments = get_service().tournaments
    state = tournaments.load(id)
    after = min(find_start(found["after"], state.version), state.told)
    subscription = get_web().hub.subscribe(str(tournament_stream(id)), address(), None)
    messages = stream_tournament_messages(tournaments, id, after, subscription, "until" in found)
    return stream_events(messages, subscription)


def stream_tournament_messages(
    tournaments: Tournaments, id: str, after: int, subscription: Subscription[News], ends: bool
) -> Iterator[str]:
    """The messages of a tournament's stream: at any news, the events that may be shown by now."""
    stream = tournament_stream(id)
    caught_up = False
    try:
        while True:
            try:
                count = min(BATCH, tournaments.load(id).told - after)
                batch = tournaments.log.read_page(stream, after, count).events
            except RedisError:
                # The reader waits for the log as well.
                time.sleep(RETRY)
                continue
            for entry in batch:
                yield write_event(None, public_part(stream, entry), str(entry.version))
                after = entry.version
            if batch:
                continue
            if not caught_up:
                yield write_event(CAUGHT_UP, {"version": after}, str(after))
                caught_up = True
            if ends:
                return
            while subscription.wait_for_news(KEEP_ALIVE) is None:
                yield KEEP_ALIVE_COMMENT
    except Dropped:
        return


@streams.get("/me/stream")
def follow_me() -> Response:
    """Stream the player's open games, then each change of one of their games.

    The list is whole at every connection, so that nothing has to be resumed.
    """
    found = request_data.read_query(OWN_STREAM)
    player = require_bearer().actor.player
    parts, hub = get_service(), get_web().hub
    subscription = hub.subscribe(f"player:{player}", address(), None)
    try:
        # What was appended before comes into the list, what comes after is in the subscription.
        listing = Listing(parts.checkpoints, parts.game_list, parts.log.feed_positions(), player)
        open_games = listing.look(PROJECTED_WITHIN)
    except BaseException:
        hub.unsubscribe(subscription)
        raise
    messages = PlayerMessages(parts.games, parts.namesakes, player, subscription, watch_rights())
    return stream_events(
        messages.stream_messages(listing, open_games, "until" in found), subscription
    )
