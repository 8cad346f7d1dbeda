"""Which events of which games a reader of the feed wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.game.events import EVENTS
from service.game.repository import KIND, stream_of
from service.game_feed.errors import UnknownFilter
from service.game_feed.facts import GameFacts
from service.log.interface import EventLog
from service.log.values import GENESIS, Pointer, StreamId
from service.player.state import stream_of as player_stream
from service.tournament.repository import stream_of as tournament_stream

ALL_GAMES: Final = "feed"
"""The topic of readers who receive every game (`service.api.event_hub`)."""
LOBBY: Final = "lobby"
"""The topic of readers who receive challenges as they come and go."""
ANSWERED: Final = 3
"""The highest version that a challenge's answer can have: one or two events precede it."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a reader wants; None, or empty `games`, means no condition. All conditions must hold.

    `types` are stored names of events.
    """

    variant: str | None = None
    player: str | None = None
    tournament: str | None = None
    games: frozenset[str] = frozenset()
    types: frozenset[str] | None = None

    @property
    def topics(self) -> list[str]:
        """The fewest topics that together cover every game that fits."""
        if self.games:
            return sorted(name_topic(KIND, id) for id in self.games)
        for kind in ("player", "tournament", "variant"):
            if (value := getattr(self, kind)) is not None:
                return [name_topic(kind, value)]
        return [ALL_GAMES]

    @property
    def needs_facts(self) -> bool:
        """Whether more has to be known about a game than an append to it says."""
        return (self.variant, self.player, self.tournament) != (None, None, None)

    def may_fit(self, pointer: Pointer) -> bool:
        """Whether the append is to a game, and to one of `games` if there are any."""
        if pointer.stream.kind != KIND:
            return False
        return not self.games or pointer.stream.id in self.games

    def fits(self, pointer: Pointer, facts: GameFacts) -> bool:
        """Whether the game is wanted, given that `may_fit` says that it may be."""
        if self.variant not in (None, facts.variant):
            return False
        if self.tournament not in (None, facts.tournament):
            return False
        return self.player is None or self.player in list_players(pointer, facts)

    def wants(self, stored_name: str) -> bool:
        """Whether events of this name are wanted."""
        return self.types is None or stored_name in self.types


def list_players(pointer: Pointer, facts: GameFacts) -> frozenset[str]:
    """The players whom an append concerns; those of the first event if the append names none."""
    return frozenset(pointer.audience) or facts.players


def list_topics(pointer: Pointer, facts: GameFacts) -> list[str]:
    """The topics whose readers may want what was appended to a game."""
    topics = [ALL_GAMES, name_topic(KIND, pointer.stream.id), name_topic("variant", facts.variant)]
    if facts.challenged and pointer.first <= ANSWERED:
        topics.append(LOBBY)
    if facts.tournament is not None:
        topics.append(name_topic("tournament", facts.tournament))
    return topics + [name_topic("player", id) for id in list_players(pointer, facts)]


def name_topic(kind: str, value: str) -> str:
    """The topic of the readers who want the games of a player, a variant, …"""
    return f"{ALL_GAMES}:{kind}:{value}"


def find_types(names: list[str]) -> frozenset[str]:
    """The stored names of these types of events, with (`game-ended/1`) or without their form.

    Raises UnknownFilter.
    """
    found = set()
    for name in names:
        forms = {stored for stored in EVENTS if name in (stored, stored.partition("/")[0])}
        if not forms:
            known = sorted({stored.partition("/")[0] for stored in EVENTS})
            raise UnknownFilter("types", f"no type {name!r}; the types are {', '.join(known)}")
        found |= forms
    return frozenset(found)


def check_known(filter: Filter, log: EventLog) -> None:
    """Raise UnknownFilter for a game, a player or a tournament that there is not."""
    named: list[tuple[str, StreamId]] = [("games", stream_of(id)) for id in sorted(filter.games)]
    if filter.player is not None:
        named.append(("player", player_stream(filter.player)))
    if filter.tournament is not None:
        named.append(("tournament", tournament_stream(filter.tournament)))
    for (parameter, stream), head in zip(
        named, log.digests([stream for _, stream in named]), strict=True
    ):
        if head == GENESIS:
            raise UnknownFilter(parameter, f"there is no {stream.kind} {stream.id}")
