"""Merging two players who are one person, unless a tournament has entered both.

A pairing of the two would be a game of one person against himself, and standings would count that
person twice: such a merger is refused, naming the tournament (`docs/rulings.md`, settled
questions). The same goes for entering whom a merger makes an entrant already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.errors import BadValue
from service.log.interface import EventLog
from service.player.mergers import survivors
from service.player.repository import Players
from service.tournament.errors import AlreadyEntered, BothEntered
from service.tournament.repository import Tournaments
from service.tournament.state import TournamentState


def merge(
    players: Players, tournaments: Tournaments, among: Iterable[str], id: str, into: str, by: str
) -> None:
    """Let the player `id`, known from records alone, be the player `into`.

    `among` are the ids of the tournaments to look through. Raises BothEntered, and what
    `Players.merge` raises.
    """
    target = _lines(players.log, [into])[into][-1]
    for tournament in among:
        state = tournaments.load(tournament)
        lines = _lines(players.log, state.entries).values()
        if any(id in line for line in lines) and any(
            line[-1] == target and id not in line for line in lines
        ):
            raise BothEntered(state.id, state.rules.name)
    players.merge(id, into, by)


def check_entry(log: EventLog, state: TournamentState, player: str) -> None:
    """Raise AlreadyEntered for a player whom a merger makes the same person as an entrant."""
    lines = _lines(log, [player, *state.entries])
    person = lines.pop(player)[-1]
    if any(line[-1] == person for line in lines.values()):
        raise AlreadyEntered


def check_distinct(log: EventLog, players: Mapping[str, str]) -> None:
    """Raise BadValue where two players, by name, are one person by a merger."""
    known: dict[str, str] = {}
    lines = _lines(log, players.values())
    for name, id in players.items():
        other = known.setdefault(lines[id][-1], name)
        if other != name:
            raise BadValue("players", f"{other} and {name} are one player, by a merger")


def _lines(log: EventLog, ids: Iterable[str]) -> dict[str, list[str]]:
    """Each player with those whom mergers made of them, in order: the last is who they are now."""
    ids = list(ids)
    merged = survivors(log, ids)
    return {id: [id, *merged.get(id, ())] for id in ids}
