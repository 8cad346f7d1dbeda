"""Jobs that report what has happened in running games, and in tournaments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from service.game.repository import KIND
from service.ids import derived_id
from service.jobs.job_kinds import GAME_NEWS, TOURNAMENT_NEWS
from service.jobs.queue import JobQueue
from service.log.feed_range import parse_position
from service.log.interface import EventLog
from service.log.values import Pointer
from service.reactions.event_follower import EventFollower
from service.reactions.notices import OLD
from service.tournament.events import RoundReady, TournamentFinished
from service.tournament.repository import KIND as TOURNAMENT
from service.webhooks.webhook import GAME_NEWS as EVENTS
from service.webhooks.webhook import Listeners

FindListeners = Callable[[Collection[str], Collection[str]], Listeners]
"""Finds who of some players listens to any of some events (`service.webhooks.webhook`)."""


class GameNewsFollower:
    """Follows the feed and submits jobs for what happens in games whose players listen.

    Other games are not read, and none that was imported: it has no audience and is no news, even to
    those who listen to everybody's games. Nor is anything old, which a restored log has again. The
    job looks at what the log says; running it again reports nothing new.
    """

    kind: Final = KIND

    def __init__(
        self, queue: JobQueue, find_listeners: FindListeners, clock: Callable[[], int]
    ) -> None:
        """`clock` gives the log's time in milliseconds since 1970 UTC."""
        self.queue = queue
        self.find_listeners = find_listeners
        self.clock = clock

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Submit one job for all of these pointers that somebody may want to be notified of."""
        since = self.clock() - OLD
        heard = [one for one in pointers if one.audience and appended_at(one) >= since]
        if not heard:
            return
        players = {player for pointer in heard for player in pointer.audience}
        listeners = self.find_listeners(EVENTS, players)
        changes = [
            [pointer.stream.id, pointer.first]
            for pointer in heard
            if listeners.are_concerned(pointer.audience)
        ]
        if changes:
            # The id is not secret: it only has to be the same each time.
            id = derived_id(b"", GAME_NEWS, *(f"{game} {first}" for game, first in changes))
            self.queue.submit(id, GAME_NEWS, {"changes": changes})


def appended_at(pointer: Pointer) -> int:
    """When the store appended what a pointer names, in milliseconds since 1970 UTC."""
    at, _ = parse_position(pointer.position)
    return at


def make_tournament_news_follower(log: EventLog, queue: JobQueue) -> EventFollower:
    """Make the follower that submits a job when a round is ready and when a tournament ends."""

    def submit(pointer: Pointer, version: int) -> None:
        id = derived_id(b"", TOURNAMENT_NEWS, pointer.stream.id, str(version))
        queue.submit(id, TOURNAMENT_NEWS, {"tournament": pointer.stream.id, "version": version})

    return EventFollower(
        log,
        TOURNAMENT,
        lambda event: isinstance(event, RoundReady | TournamentFinished),
        lambda pointer, entry: submit(pointer, entry.version),
    )
