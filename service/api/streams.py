"""Server-Sent Events: a game's or tournament's log as it grows, and what waits for a player."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from service.api import request_data
from service.api.context import address, authenticated, service, web
from service.api.errors import BadParameter, MalformedHeader
from service.api.event_hub import Dropped, Subscription
from service.api.query_schemas import CAUGHT_UP, OwnStreamSchema, StreamSchema
from service.api.views import side_name, standing
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.game.values import Status
from service.log.chain import public_part
from service.log.checkpoints import Checkpoints
from service.log.interface import EventLog
from service.projection.game_list import GameList
from service.tournament.repository import Tournaments
from service.tournament.repository import stream_of as tournament_stream

log = logging.getLogger(__name__)
streams = Blueprint("streams", __name__, url_prefix="/api/v1")

KEEP_ALIVE = 15.0
"""Seconds without an event after which a comment is sent."""
RETRY = 0.5
"""Seconds until a log that could not be reached is tried again."""
PROJECTED_WITHIN = 5.0
"""Seconds to wait for the list of open games to be as new as the log, before some are told."""
LOOK = 1.0
"""Seconds between two looks at the list while it is not."""
KEPT_ALIVE = ": keep-alive\n\n"
BATCH = 500
STREAM = StreamSchema()
OWN_STREAM = OwnStreamSchema()


def message(event: str | None, data: object, id: str | None = None) -> str:
    """One event of a stream; without a name it is what browsers call a message."""
    head = f"id: {id}\n" if id is not None else ""
    head += f"event: {event}\n" if event is not None else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n"


def joined(first: Iterable[str], messages: Iterator[str]) -> Iterator[str]:
    """The first messages, then the others, which are closed with this generator."""
    yield from first
    yield from messages


def event_stream(messages: Iterator[str], subscription: Subscription) -> Response:
    """An answer that goes on until the client leaves; then the subscription ends.

    That also happens where no message was asked for (HEAD, a client that left at once). Where the
    web process watches its connections, a client that leaves is noticed at once, elsewhere when
    something is sent to it. The first message is made here, so that a log which cannot be read is
    answered as for any other request; raises what making it raises.
    """
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    try:
        first = list(islice(messages, 1))
    except BaseException:
        web().hub.unsubscribe(subscription)
        raise
    response = Response(joined(first, messages), mimetype="text/event-stream", headers=headers)
    response.call_on_close(partial(web().hub.unsubscribe, subscription))
    watch = getattr(request.environ.get("gunicorn.socket"), "when_gone", None)
    if watch is not None:
        watch(subscription.drop)
    return response


@streams.get("/games/<id:id>/stream")
def follow_game(id: str) -> Response:
    """The events of a game: those after `Last-Event-ID` (or `after`), then each as it comes."""
    found = request_data.parameters(STREAM)
    log = service().log
    after = begin_after(found["after"], service().games.load(id).version)
    subscription = web().hub.subscribe(str(stream_of(id)), address())
    return event_stream(game_messages(log, id, after, subscription, "until" in found), subscription)


def begin_after(after: int, version: int) -> int:
    """The version a follower knows already, at most `version`.

    Raises MalformedHeader or BadParameter: one who knows more than the log has must not wait
    for what will never come.
    """
    header = request.headers.get("Last-Event-ID")
    if header is None:
        if after > version:
            raise BadParameter("after", f"a whole number from 0 to {version}")
        return after
    if not (header.isascii() and header.isdigit() and len(header) < 10 and int(header) <= version):
        raise MalformedHeader("Last-Event-ID", "the id of an event of this stream")
    return int(header)


def game_messages(
    log: EventLog, id: str, after: int, subscription: Subscription, ends: bool
) -> Iterator[str]:
    """The messages of a game's stream; what is missing is read from the log, nothing twice."""
    try:
        while batch := log.read(stream_of(id), after, BATCH):
            for entry in batch:
                yield message(None, public_part(stream_of(id), entry), str(entry.version))
            after = batch[-1].version
        yield message(CAUGHT_UP, {"version": after}, str(after))
        while not ends:
            news = subscription.next(KEEP_ALIVE)
            if news is None:
                yield KEPT_ALIVE
                continue
            for entry in news.recorded:
                if entry.version > after:
                    yield message(None, public_part(stream_of(id), entry), str(entry.version))
                    after = entry.version
    except Dropped:
        return


@streams.get("/tournaments/<id:id>/stream")
def follow_tournament(id: str) -> Response:
    """The events of a tournament, as those of a game; a round is told when it is ready.

    Who knows of a later version than is told knows nothing yet of the round that is being made.
    """
    found = request_data.parameters(STREAM)
    tournaments = service().tournaments
    state = tournaments.load(id)
    after = min(begin_after(found["after"], state.version), state.told)
    subscription = web().hub.subscribe(str(tournament_stream(id)), address())
    messages = tournament_messages(tournaments, id, after, subscription, "until" in found)
    return event_stream(messages, subscription)


def tournament_messages(
    tournaments: Tournaments, id: str, after: int, subscription: Subscription, ends: bool
) -> Iterator[str]:
    """The messages of a tournament's stream: at any news, what of its log may be told by now."""
    stream = tournament_stream(id)
    caught_up = False
    try:
        while True:
            try:
                count = min(BATCH, tournaments.load(id).told - after)
                batch = tournaments.log.read(stream, after, count) if count > 0 else []
            except RedisError:
                # The reader waits for the log as well.
                time.sleep(RETRY)
                continue
            for entry in batch:
                yield message(None, public_part(stream, entry), str(entry.version))
                after = entry.version
            if batch:
                continue
            if not caught_up:
                yield message(CAUGHT_UP, {"version": after}, str(after))
                caught_up = True
            if ends:
                return
            while subscription.next(KEEP_ALIVE) is None:
                yield KEPT_ALIVE
    except Dropped:
        return


@streams.get("/me/stream")
def follow_me() -> Response:
    """What waits for the player: every open game first, then each change of one of theirs.

    The list is whole at every connection, so that nothing has to be resumed.
    """
    found = request_data.parameters(OWN_STREAM)
    player = authenticated().actor.player
    parts, hub = service(), web().hub
    subscription = hub.subscribe(f"player:{player}", address())
    try:
        # What was appended before comes into the list, what comes after is in the subscription.
        listing = Listing(parts.checkpoints, parts.game_list, parts.log.feed_positions(), player)
        open_games = listing.look(PROJECTED_WITHIN)
    except BaseException:
        hub.unsubscribe(subscription)
        raise
    messages = PlayerMessages(parts.games, player, subscription)
    return event_stream(messages.all(listing, open_games, "until" in found), subscription)


@dataclass(slots=True)
class Listing:
    """A player's open games, from a list that may lag: `whole` once it is as new as `heads`."""

    checkpoints: Checkpoints
    game_list: GameList
    heads: Mapping[int, str]
    player: str
    whole: bool = False

    def look(self, timeout: float) -> list[str]:
        """The games that are listed, after at most `timeout` seconds of waiting for the rest."""
        self.whole = self.whole or self.checkpoints.wait_until(self.heads, timeout)
        return [game.id for game in self.game_list.open_games(self.player)]


class PlayerMessages:
    """The messages of a player's stream; `told` is each game's version that it has told of."""

    def __init__(self, games: Games, player: str, subscription: Subscription) -> None:
        self.games = games
        self.player = player
        self.subscription = subscription
        self.told: dict[str, int] = {}

    def all(self, listing: Listing, ids: list[str], ends: bool) -> Iterator[str]:
        """What is listed as open, first `ids`, then what changes; changes do not wait for it."""
        try:
            yield from self._opened(ids)
            while not listing.whole:
                yield from self._news(LOOK)
                yield from self._opened(listing.look(0))
            yield message(CAUGHT_UP, {"games": len(self.told)})
            while not ends:
                yield from self._news(KEEP_ALIVE)
        except Dropped:
            return

    def _opened(self, ids: list[str]) -> Iterator[str]:
        for id in ids:
            if id in self.told:
                continue
            state = readable(self.games, id)
            self.told[id] = state.version if state else 0
            if state is None or state.status is not Status.FINISHED:
                yield waiting(state, self.player) if state else unreadable(id)

    def _news(self, timeout: float) -> Iterator[str]:
        """The next change of a game, a comment where there is none for so many seconds."""
        news = self.subscription.next(timeout)
        if news is None:
            yield KEPT_ALIVE
            return
        id = news.pointer.stream.id
        if news.pointer.last <= self.told.get(id, 0):
            return
        try:
            state = readable(self.games, id)
        except RedisError:
            # The reader waits for the log as well; what it told is not lost meanwhile.
            self.subscription.push(news)
            time.sleep(RETRY)
            return
        self.told[id] = news.pointer.last if state is None else state.version
        yield waiting(state, self.player) if state else unreadable(id)


def readable(games: Games, id: str) -> GameState | None:
    """A game, None where its log cannot be folded: a player's other games must not wait for it."""
    try:
        return games.load(id)
    except RedisError:
        raise
    except Exception:
        log.exception("game %s cannot be folded", id)
        return None


def unreadable(id: str) -> str:
    """What is told of a game whose log cannot be folded."""
    return message("unreadable", {"game": id})


def waiting(state: GameState, player: str) -> str:
    """What a game asks of a player now."""
    own = state.side_of(player)
    shown: dict[str, Any] = {
        "game": state.id,
        "variant": state.variant,
        "mode": state.mode,
        "side": side_name(own),
        "your_turn": own is not None and state.to_act is own,
        "last_action": state.played[-1].coordinate if state.played else None,
        **standing(state, frozenset(() if own is None else (own,))),
    }
    return message(what_waits(state, player), shown, f"{state.id}-{state.version}")


def what_waits(state: GameState, player: str) -> str:
    """The event's name: the most pressing thing the game asks of the player."""
    own = state.side_of(player)
    if state.status is Status.OFFERED:
        return "challenge" if state.creator != player else "challenge-sent"
    if state.status not in (Status.CHOOSING, Status.RUNNING):
        return "game-over"
    if own is not None and state.draw_offer is own.other:
        return "draw-offered"
    if own is not None and state.retraction is not None and state.retraction.side is own.other:
        return "retraction-offered"
    if own is not None and own in state.choosers and state.choices[own] is None:
        return "choose"
    return "your-turn" if own is not None and state.to_act is own else "waiting"
