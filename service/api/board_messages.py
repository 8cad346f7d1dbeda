"""The messages of a game's stream for boards: the game as it stands, whenever it has changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from redis.exceptions import RedisError

from service.api.player_stream import RETRY
from service.api.position_views import render_position
from service.api.schemas.queries import BOARD, CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.subscriptions import Dropped, News, Subscription
from service.api.views import render_choices, render_legal_actions, render_standing
from service.game.redaction import Viewer, viewer
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.game.values import GameStatus
from service.log.chain import when
from service.log.values import Recorded
from service.player.actor import Actor


def stream_board_messages(
    games: Games,
    id: str,
    actor: Actor | None,
    subscription: Subscription[News],
    ends: bool,
) -> Iterator[str]:
    """How the game stands for a viewer, at once and after each append that changes it.

    Several appends that come together are told as one. Nothing has to be resumed: the first message
    is whole, like all others.
    """
    state = load_patiently(games, id)
    yield write_board(games, state, viewer(state, actor), ())
    if ends:
        yield write_event(CAUGHT_UP, {"version": state.version}, str(state.version))
        return
    try:
        while True:
            news = subscription.wait_for_news(KEEP_ALIVE)
            if news is None:
                yield KEEP_ALIVE_COMMENT
                continue
            if news.recorded and news.recorded[-1].version > state.version:
                before, state = state.version, load_patiently(games, id)
                recorded = read_since(games, id, before, state.version, news)
                yield write_board(games, state, viewer(state, actor), recorded)
    except Dropped:
        return


def load_patiently(games: Games, id: str) -> GameState:
    """A game as it is now; a store that is away is waited for, as the reader of the feeds does."""
    while True:
        try:
            return games.load(id)
        except RedisError:
            time.sleep(RETRY)


def read_since(games: Games, id: str, before: int, version: int, news: News) -> Sequence[Recorded]:
    """The events after one version, up to another; they are read where the news are not all."""
    told = [entry for entry in news.recorded if before < entry.version <= version]
    if len(told) == version - before:
        return told
    while True:
        try:
            return games.log.read(stream_of(id), before, version - before)
        except RedisError:
            time.sleep(RETRY)


def write_board(games: Games, state: GameState, seen: Viewer, recorded: Sequence[Recorded]) -> str:
    """The message that tells how a game stands, and which events have led there."""
    data: dict[str, Any] = {
        "id": state.id,
        "news": [entry.event.stored_name for entry in recorded],
        **render_standing(state, seen),
        "choices": render_choices(state, seen),
        "position": render_position(state, seen),
        "legal": render_legal_actions(state, seen) if may_act(state, seen) else None,
        "now": when(games.clock()),
    }
    return write_event(BOARD, data, str(state.version))


def may_act(state: GameState, seen: Viewer) -> bool:
    """Whether somebody who acts for these sides is to act, or may have a secret choice to make."""
    return state.to_act in seen or (state.status is GameStatus.CHOOSING and bool(seen))
