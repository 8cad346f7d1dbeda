"""The messages of `/me/stream`: a player's open games, then every change in one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from redis.exceptions import RedisError

from engine.side import Side
from service.api.readable_games import TOGETHER, load_if_readable
from service.api.schemas.queries import CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.subscriptions import Dropped, News, Subscription
from service.api.terms_view import render_game_terms
from service.api.views import GOING_ON, name_side, render_players, render_standing
from service.game.permissions import may_act_for
from service.game.redaction import viewer
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.game.values import GameStatus
from service.player.actor import Actor
from service.player.names.shown import ShownName
from service.projection.checkpoints import Checkpoints
from service.projection.database.chunks import batched
from service.projection.errors import DatabaseError
from service.projection.game_list import GameList
from service.projection.namesakes import Namesakes

RETRY: Final = 0.5
"""Seconds until an unreachable log is tried again."""
LOOK: Final = 1.0
"""Seconds between two reads of the game list while it is behind the log."""


@dataclass(slots=True)
class Listing:
    """A player's open games from a list that may lag; `whole` once it is as new as `heads`."""

    checkpoints: Checkpoints
    game_list: GameList
    heads: Mapping[int, str]
    player: str
    whole: bool = False

    def look(self, timeout: float) -> list[str]:
        """The ids of the listed games; waits at most `timeout` seconds for the list to catch up."""
        whole = self.whole or self.checkpoints.wait_until(self.heads, timeout)
        ids = self.game_list.open_ids(self.player)
        self.whole = whole
        return ids


class PlayerMessages:
    """The messages of a player's stream, which ends when their rights do.

    `sent` is the version of each game sent last. `names` are those of the players of open games:
    they are read when they first occur, so that no turn waits for the lists' database.
    """

    def __init__(
        self,
        games: Games,
        namesakes: Namesakes,
        player: str,
        subscription: Subscription[News],
        lasts: Callable[[], bool],
    ) -> None:
        self.games = games
        self.namesakes = namesakes
        self.player = player
        self.subscription = subscription
        self.lasts = lasts
        self.sent: dict[str, int] = {}
        self.names: dict[str, ShownName] = {}

    def stream_messages(self, listing: Listing, ids: list[str], ends: bool) -> Iterator[str]:
        """Yield the open games, first `ids`, and changes, which do not wait for the list."""
        try:
            yield from self._send_games(ids)
            while not listing.whole:
                yield from self._send_news(LOOK)
                # News does not wait for the list, nor for its database to be back.
                with suppress(DatabaseError):
                    yield from self._send_games(listing.look(0))
            yield write_event(CAUGHT_UP, {"games": len(self.sent)})
            while not ends:
                yield from self._send_news(KEEP_ALIVE)
        except Dropped:
            return

    def _send_games(self, ids: list[str]) -> Iterator[str]:
        for some in batched((id for id in ids if id not in self.sent), TOGETHER):
            states = {id: load_if_readable(self.games, id) for id in some}
            self._read_names(state for state in states.values() if state)
            for id, state in states.items():
                self.sent[id] = state.version if state else 0
                if state is None or state.status is not GameStatus.FINISHED:
                    yield self._write_task(state) if state else write_unreadable(id)

    def _send_news(self, timeout: float) -> Iterator[str]:
        """Yield the next change of a game, or a comment after `timeout` seconds without one.

        Raises Dropped once the player's rights have ended.
        """
        news = self.subscription.wait_for_news(timeout)
        if not self.lasts():
            raise Dropped
        if news is None:
            yield KEEP_ALIVE_COMMENT
            return
        id = news.pointer.stream.id
        # A player's own stream, as a token is issued, has the topic of what concerns them.
        if news.pointer.stream != stream_of(id):
            return
        if news.pointer.last <= self.sent.get(id, 0):
            return
        try:
            state = load_if_readable(self.games, id)
            written = self._write_task(state) if state else write_unreadable(id)
        except RedisError:
            # The feed's reader waits for the log too; keep this news until it is back.
            self.subscription.push(news)
            time.sleep(RETRY)
            return
        self.sent[id] = news.pointer.last if state is None else state.version
        yield written

    def _write_task(self, state: GameState) -> str:
        self._read_names([state])
        written = write_task(state, self.player, self.names)
        if state.status not in {GameStatus.OFFERED, *GOING_ON}:
            for id in state.seats:
                self.names.pop(id or "", None)
        return written

    def _read_names(self, states: Iterable[GameState]) -> None:
        """Read the names of the players of these games that are not known yet, together."""
        seated = chain.from_iterable(state.seats for state in states)
        if unknown := [id for id in seated if id and id not in self.names]:
            self.names.update(self.namesakes.shown(unknown))


def write_unreadable(id: str) -> str:
    """The event for a game whose log cannot be folded."""
    return write_event("unreadable", {"game": id})


def write_task(state: GameState, player: str, names: Mapping[str, ShownName]) -> str:
    """The event that says what a game now requires of a player."""
    actor = Actor(player)
    own = find_acting_side(state, actor)
    shown: dict[str, Any] = {
        "game": state.id,
        "variant": state.variant,
        "mode": state.mode,
        "creator": state.creator,
        "players": render_players(state.variant, state.seats, names),
        "side": name_side(state.side_of(player)),
        "your_turn": own is not None and state.to_act is own,
        "terms": render_game_terms(state),
        "last_action": state.played[-1].coordinate if state.played else None,
        "last_san": state.played[-1].san if state.played else None,
        **render_standing(state, viewer(state, actor)),
    }
    return write_event(name_task(state, actor), shown, f"{state.id}-{state.version}")


def find_acting_side(state: GameState, actor: Actor) -> Side | None:
    """The only side that the actor plays; None also if a scribe acts for that side instead."""
    own = state.side_of(actor.player)
    return own if own is not None and may_act_for(state, actor, own) else None


def name_task(state: GameState, actor: Actor) -> str:
    """The event's name: the most urgent thing that the game requires of the actor."""
    own = find_acting_side(state, actor)
    if state.status is GameStatus.OFFERED:
        return "challenge" if state.creator != actor.player else "challenge-sent"
    if state.status not in GOING_ON:
        return "game-over"
    if own is not None and state.draw_offer is own.other:
        return "draw-offered"
    if own is not None and state.retraction is not None and state.retraction.side is own.other:
        return "retraction-offered"
    if own is not None and own in state.choosers and state.choices[own] is None:
        return "choose"
    return "your-turn" if own is not None and state.to_act is own else "waiting"
