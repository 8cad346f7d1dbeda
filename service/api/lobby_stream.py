"""The messages of `/challenges/stream`: the open challenges, then each that comes or goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from redis.exceptions import RedisError

from service.api.player_stream import LOOK, RETRY
from service.api.readable_games import TOGETHER, load_each_readable
from service.api.schemas.queries import CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.subscriptions import Dropped, FeedSubscription, FellBehind
from service.game.repository import Games
from service.game.state import GameState
from service.log.interface import EventLog
from service.projection.challenges import ChallengeFilter, Challenges, is_in_lobby
from service.projection.checkpoints import Checkpoints
from service.projection.database.chunks import batched
from service.projection.errors import DatabaseError

MOST: Final = 1000
"""The most challenges that a stream begins with, the newest ones."""


@dataclass(frozen=True, slots=True)
class LobbyListing:
    """The challenges that are sent to a client, from a list that may lag behind the log."""

    challenges: Challenges
    checkpoints: Checkpoints
    log: EventLog
    games: Games
    filter: ChallengeFilter

    def list_ids(self) -> list[str]:
        """The ids of the listed challenges, oldest first."""
        places = self.challenges.list_open(self.filter, self.games.clock(), MOST)
        return [id for _, id in reversed(places)]

    def find(self, ids: Sequence[str]) -> dict[str, GameState]:
        """Those of these challenges that anybody can accept and that are wanted, by id."""
        found = load_each_readable(self.games, ids)
        return {
            id: state
            for id, state in found.items()
            if is_in_lobby(state) and self.filter.fits(state)
        }


class LobbyMessages:
    """The messages to one client; `shown` are the challenges that it knows as open."""

    def __init__(
        self,
        listing: LobbyListing,
        subscription: FeedSubscription,
        render: Callable[[Sequence[GameState]], list[dict[str, Any]]],
    ) -> None:
        self.listing = listing
        self.subscription = subscription
        self.render = render
        self.shown: set[str] = set()

    def stream_messages(self, ends: bool) -> Iterator[str]:
        """Yield the open challenges, and each change.

        A client that was too slow is sent the list again.
        """
        caught_up = False
        try:
            while True:
                with suppress(FellBehind):
                    yield from self._list()
                    if not caught_up:
                        yield write_event(CAUGHT_UP, {"challenges": len(self.shown)})
                        caught_up = True
                    if ends:
                        return
                    while True:
                        yield from self._wait(KEEP_ALIVE)
        except Dropped:
            return

    def _list(self) -> Iterator[str]:
        """Send the listed challenges until the list is as new as the log was; news does not wait.

        Raises FellBehind.
        """
        self.subscription.collect()
        # Challenges appended before are in the list; what comes later is collected.
        heads = self.listing.log.feed_positions()
        # Whatever changes in a challenge once it has been read comes as news.
        unread, read = list(self.shown), set[str]()
        while True:
            whole, ids = False, list[str]()
            # Nor does news wait for a database to be back.
            with suppress(DatabaseError):
                whole = self.listing.checkpoints.wait_until(heads, 0)
                ids = self.listing.list_ids()
            unread += (id for id in ids if id not in self.shown)
            for some in batched([id for id in unread if id not in read], TOGETHER):
                yield from self._tell(some)
            if whole:
                return
            read.update(unread)
            unread.clear()
            yield from self._wait(LOOK)

    def _wait(self, timeout: float) -> Iterator[str]:
        """Send the next change, or a comment after `timeout` seconds without one.

        Raises FellBehind and Dropped.
        """
        news = self.subscription.wait_for_news(timeout)
        if news is None:
            yield KEEP_ALIVE_COMMENT
        else:
            yield from self._tell([news.pointer.stream.id])

    def _tell(self, ids: Sequence[str]) -> Iterator[str]:
        """Send those of these challenges that differ from what the client knows, in this order."""
        while True:
            try:
                found = self.listing.find(ids)
                break
            except RedisError:
                # The reader of the feeds waits for the log as well.
                time.sleep(RETRY)
        new = [state for id, state in found.items() if id not in self.shown]
        rendered = {state.id: one for state, one in zip(new, self.render(new), strict=True)}
        for id in ids:
            if id in rendered:
                self.shown.add(id)
                yield write_event("challenge", rendered[id])
            elif id in self.shown and id not in found:
                self.shown.remove(id)
                yield write_event("gone", {"game": id})
