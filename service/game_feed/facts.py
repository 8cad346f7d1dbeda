"""The facts of a game, known from its first event, by which the feed is filtered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from service.bounded_cache import BoundedCache
from service.game.events import (
    ChallengeAccepted,
    ChallengeDeclined,
    ChallengeExpired,
    ChallengeWithdrawn,
    GameBegun,
    GameSetUp,
)
from service.game.repository import stream_of
from service.game.terms import Visibility
from service.game.values import Mode
from service.log.interface import EventLog
from service.log.values import StoredEvent, StreamRange
from service.tournament.setup import TOURNAMENT_TAG

UNANSWERED: Final = frozenset(
    event.stored_name for event in (ChallengeDeclined, ChallengeWithdrawn, ChallengeExpired)
)
KEPT: Final = 20_000
"""The most games whose facts a process keeps: some 6 MB."""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """`tournament` is the one that paired the game, `players` are those who had a seat at first.

    `challenged` says whether it began as a challenge.
    """

    variant: str
    tournament: str | None
    players: frozenset[str]
    challenged: bool = False


NOTHING: Final = GameFacts("", None, frozenset())
"""The facts of a game whose first event is gone."""


class FactsCache:
    """The facts of games by id, read from the log once. Safe for threads."""

    def __init__(self, log: EventLog, kept: int = KEPT) -> None:
        self.log = log
        self._facts = BoundedCache[str, GameFacts](kept)

    def find_each(self, ids: Iterable[str]) -> Mapping[str, GameFacts]:
        """The facts of these games, with one round trip for those unknown so far."""
        wanted = dict.fromkeys(ids)
        cached = {id: self._facts.get(id) for id in wanted}
        found = {id: facts for id, facts in cached.items() if facts is not None}
        missing = [id for id in wanted if id not in found]
        if missing:
            read = self.log.read_stored([StreamRange(stream_of(id), 0, 1) for id in missing])
            for id, first in zip(missing, read, strict=True):
                found[id] = read_facts(first[0]) if first else NOTHING
                if first:
                    self._facts.put(id, found[id])
        return found


def read_facts(first: StoredEvent) -> GameFacts:
    """The facts that a game's first event states, whatever its form."""
    data = json.loads(first.data)
    tournament = data.get("tags", {}).get(TOURNAMENT_TAG) if is_preparation(first) else None
    seats = (data.get("first"), data.get("second"))
    challenged = data.get("mode") == Mode.CHALLENGE
    return GameFacts(
        data.get("variant", ""), tournament, frozenset(filter(None, seats)), challenged
    )


def is_preparation(event: StoredEvent) -> bool:
    """Whether the event sets up a game that waits for its round: nobody may see it yet."""
    if event.version != 1 or Mode.TOURNAMENT not in event.data:
        return False
    return bool(json.loads(event.data).get("mode") == Mode.TOURNAMENT)


def is_hidden(event: StoredEvent) -> bool:
    """Whether this event sets up a game that nobody may see before it begins.

    Such a game waits for its round, or is a private challenge.
    """
    if is_preparation(event):
        return True
    if event.stored_name != GameSetUp.stored_name:
        return False
    return bool(json.loads(event.data).get("visibility") == Visibility.PRIVATE)


def is_beginning(event: StoredEvent) -> bool:
    """Whether the event begins a game that was hidden until then."""
    return event.stored_name in (GameBegun.stored_name, ChallengeAccepted.stored_name)


def is_unanswered(event: StoredEvent) -> bool:
    """Whether the event ends a challenge that nobody has accepted."""
    return event.stored_name in UNANSWERED
