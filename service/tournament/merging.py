"""Merging two players who are one person, unless a tournament has entered both.

A pairing of the two would be a game of one person against themselves, and standings would count
that person twice: such a merger is refused, naming the tournament (`docs/rulings.md`, settled
questions). The same applies to entering a player who, by a merger, already is an entrant
(`service.tournament.persons`).
"""

from __future__ import annotations

from collections.abc import Iterable

from service.player.repository import Players
from service.tournament.errors import BothEntered
from service.tournament.persons import lines_of
from service.tournament.repository import Tournaments


def merge(
    players: Players, tournaments: Tournaments, among: Iterable[str], id: str, into: str, by: str
) -> None:
    """Merge the player `id`, known only from records, into the player `into`.

    `among` are the ids of the tournaments to check. Raises BothEntered, and what `Players.merge`
    raises.
    """
    target = lines_of(players.log, [into])[into][-1]
    for tournament in among:
        state = tournaments.load(tournament)
        lines = lines_of(players.log, state.entries).values()
        if any(id in line for line in lines) and any(
            line[-1] == target and id not in line for line in lines
        ):
            raise BothEntered(state.id, state.rules.name)
    players.merge(id, into, by)
