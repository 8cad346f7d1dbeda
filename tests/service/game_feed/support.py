"""Games in a log, for the tests of their feed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from service.composition.service import CODEC
from service.game.events import ActionPlayed, GameBegun, GameCreated, GameEnded
from service.game.repository import stream_of
from service.game.values import Mode
from service.game_feed.filter import Filter
from service.game_feed.position import Position
from service.game_feed.reader import GameFeed, Page
from service.log.chain import public_part
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.values import Append, Event
from service.tournament.setup import TOURNAMENT_TAG

EVERYTHING = Filter()


def name_game(number: int) -> str:
    """A game's id; like any id it has only letters."""
    return f"game{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}".ljust(16, "a")


@dataclass
class Archive:
    """A log, and appends to games that everybody may know of."""

    log: EventLog = field(default_factory=lambda: MemoryEventLog(CODEC))

    def append(self, game: str, *events: Event, audience: Sequence[str] = ("ada", "bo")) -> None:
        version = self.log.version(stream_of(game))
        self.log.append(Append(stream_of(game), version, events, 1000, "ada", audience=audience))

    def begin(
        self, game: str, variant: str = "katruji", audience: Sequence[str] = ("ada", "bo")
    ) -> None:
        first, second = (*audience, None, None)[:2]
        created = GameCreated(
            variant=variant, rules="1", mode=Mode.SCRIBE, first=first, second=second
        )
        self.append(game, created, audience=audience)

    def prepare(self, game: str, tournament: str) -> None:
        """Create a game that waits for its round."""
        tags = {TOURNAMENT_TAG: tournament, "Event": "Ōpen «7»"}
        created = GameCreated(
            variant="kerd", rules="1", mode=Mode.TOURNAMENT, first="ada", second="bo", tags=tags
        )
        self.append(game, created, audience=())

    def begin_round(self, game: str) -> None:
        self.append(game, GameBegun())

    def play(self, game: str, *, last: bool = False) -> None:
        (first,) = self.log.read(stream_of(game), limit=1)
        assert isinstance(first.event, GameCreated)
        players = [id for id in (first.event.first, first.event.second) if id is not None]
        version = self.log.version(stream_of(game))
        played = ActionPlayed(ply=version, action="a1a2", san="Pa2")
        ended = GameEnded(result="1-0", termination="resignation")
        self.append(game, *((played, ended) if last else (played,)), audience=players)

    def read_log(self, game: str) -> list[dict[str, Any]]:
        """The public parts of a game's events, from the log itself."""
        stream = stream_of(game)
        return [public_part(stream, entry) for entry in self.log.read(stream)]


def tell(page: Page) -> list[dict[str, Any]]:
    """The events of a page."""
    return [json.loads(event.json) for event, _ in page.events]


def name_events(events: Sequence[dict[str, Any]]) -> list[str]:
    """Each event as its game's id without the padding, and its version."""
    return [f"{e['stream'].removeprefix('game:').rstrip('a')}-{e['version']}" for e in events]


def read_all(
    feed: GameFeed, filter: Filter = EVERYTHING, limit: int = 5000, after: Position | None = None
) -> list[dict[str, Any]]:
    """All events after a position, read page by page."""
    position = after or feed.find_start()
    found: list[dict[str, Any]] = []
    while True:
        page = feed.read(position, filter, limit)
        assert len(page.events) <= limit
        found += tell(page)
        position = page.position
        if page.caught_up:
            return found
