"""Takes back mergers that would have been refused but for something else that happened just then.

Whether two players may be merged depends on other mergers, which must not form a circle, and on
tournaments, none of which both may have entered. This is checked before the merger or the entry is
written, but against other streams, which may change in the meantime. So it is checked again once it
is in the feed: if two writers act at the same moment, the check of the later event sees what both
have written. A conflict is resolved by parting the player who was merged last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from typing import Final

from service.log.interface import EventLog
from service.player.events import PlayerMerged
from service.player.mergers import follow_line, read_known
from service.player.repository import Players
from service.player.state import KIND as PLAYER
from service.reactions.event_follower import EventFollower
from service.tournament.events import PlayerEntered
from service.tournament.persons import find_double
from service.tournament.repository import KIND as TOURNAMENT
from service.tournament.repository import Tournaments

log = logging.getLogger(__name__)

PARTER: Final = "movelog:mergers"
"""Who takes such a merger back, as noted in the log."""


class MergerGuard:
    """Parts players whose mergers form a circle, or merge two entrants of a tournament.

    `list_entered` gives the ids of the tournaments that a player, or somebody merged into them, has
    entered, as far as they have been projected.
    """

    def __init__(
        self,
        players: Players,
        tournaments: Tournaments,
        list_entered: Callable[[str], Iterable[str]],
    ) -> None:
        self.players = players
        self.tournaments = tournaments
        self.list_entered = list_entered

    def check_player(self, id: str) -> None:
        """Check a merger of this player: that it closes no circle, and their tournaments."""
        known = read_known(self.players.log, [id])
        line = follow_line(known, id)
        last = known[line[-1]].into
        if last is not None:
            self._part(line[line.index(last) :], "they form a circle")
        # No other tournament has an entrant who is somebody else by this merger.
        for tournament in self.list_entered(id):
            self.check_tournament(tournament)

    def check_tournament(self, id: str) -> None:
        """Check that no two entrants of this tournament are one person."""
        state = self.tournaments.load(id)
        while merged := find_double(self.players.log, state.entries):
            self._part(merged, f"both have entered the tournament {id}")

    def _part(self, merged: Collection[str], reason: str) -> None:
        """Part the one of these players who was merged last, of one millisecond the greatest id."""
        newest = max(merged, key=lambda id: (self._merged_at(id), id))
        log.warning("the merger of player %s is taken back: %s", newest, reason)
        self.players.part(newest, PARTER)

    def _merged_at(self, id: str) -> int:
        """When a player was merged, in milliseconds since 1970 UTC."""
        times = [e.at for e in self.players.read(id) if isinstance(e.event, PlayerMerged)]
        return times[-1]


def make_merger_followers(events: EventLog, guard: MergerGuard) -> list[EventFollower]:
    """Make the followers that check every merger, and every entry to a tournament."""
    return [
        EventFollower(
            events,
            PLAYER,
            lambda event: isinstance(event, PlayerMerged),
            lambda pointer, entry: guard.check_player(pointer.stream.id),
        ),
        EventFollower(
            events,
            TOURNAMENT,
            lambda event: isinstance(event, PlayerEntered),
            lambda pointer, entry: guard.check_tournament(pointer.stream.id),
        ),
    ]
