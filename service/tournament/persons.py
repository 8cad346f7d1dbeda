"""Who a tournament's players are: merged ones are one person, registered ones must consent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.phrase import phrase
from service.computer.levels import seats_computer
from service.errors import BadValue
from service.log.interface import EventLog
from service.player.actor import Actor
from service.player.mergers import survivors
from service.player.repository import Players
from service.player.scopes import ARBITER
from service.tournament.errors import AlreadyEntered
from service.tournament.state import TournamentState


def check_entry(
    log: EventLog, state: TournamentState, player: str, instead_of: str | None = None
) -> None:
    """Raise AlreadyEntered if the player was merged with an entrant other than `instead_of`."""
    lines = lines_of(log, [player, *(id for id in state.entries if id != instead_of)])
    person = lines.pop(player)[-1]
    if any(line[-1] == person for line in lines.values()):
        raise AlreadyEntered


def check_consent(players: Players, player: str, actor: Actor) -> None:
    """Raise BadValue if an organiser without the arbiter's scope enters a registered player.

    Such players enter by themselves, so that nobody finds games in their list that they never
    agreed to.
    """
    asked = player == actor.player or ARBITER in actor.scopes or seats_computer([player])
    if not asked and players.load(player).claimed:
        raise BadValue("player", "is registered: open self-entry, so that they enter by themselves")


def check_distinct(log: EventLog, players: Mapping[str, str]) -> None:
    """Raise BadValue if two of these players, named in a report, were merged into one person."""
    known: dict[str, str] = {}
    lines = lines_of(log, players.values())
    for name, id in players.items():
        other = known.setdefault(lines[id][-1], name)
        if other != name:
            raise BadValue(
                "players",
                phrase("{other} and {name} are one player, by a merger", other=other, name=name),
            )


def find_double(log: EventLog, players: Iterable[str]) -> frozenset[str]:
    """Find two of these players who are one person; returns those whose mergers make them one."""
    seen: dict[str, list[str]] = {}
    for line in lines_of(log, players).values():
        other = seen.setdefault(line[-1], line)
        if other is not line:
            return frozenset(line[:-1]) ^ frozenset(other[:-1])
    return frozenset()


def lines_of(log: EventLog, ids: Iterable[str]) -> dict[str, list[str]]:
    """Each player and those that mergers made of them, in order: the last is who they are now."""
    ids = list(ids)
    merged = survivors(log, ids)
    return {id: [id, *merged.get(id, ())] for id in ids}
