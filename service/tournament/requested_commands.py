"""Requests turned into commands to tournaments, with players found by id or name."""

from __future__ import annotations

from typing import Any

from engine.phrase import phrase
from service.errors import BadValue
from service.player.actor import Actor
from service.player.names.recorded import check_recorded_name
from service.player.repository import Players
from service.tournament import commands
from service.tournament.commands import ImportReport, TournamentCommand
from service.tournament.persons import check_consent, check_distinct
from service.tournament.reporting import derive_events, list_names, make_creation
from service.tournament.setup import make_rules_event, most_entries
from service.tournament.table import TournamentKind
from service.tournament.trf import Report


def command_of(
    kind: type[TournamentCommand], wish: dict[str, Any], actor: Actor, players: Players
) -> TournamentCommand:
    """Make a command of this kind from a request.

    A player given by a new name is created permanently. Raises NotFound or BadValue for a player
    who cannot be found.
    """
    if kind is commands.PairRound:
        boards = wish["boards"]
        pairs = None if boards is None else [(board["first"], board["second"]) for board in boards]
        return commands.PairRound(boards=pairs, round=wish["round"])
    if kind is commands.Enter:
        return enter(wish, actor, players)
    if kind is commands.Amend:
        return commands.Amend(reason=wish.pop("reason"), changes=wish)
    if kind is commands.CorrectEntry:
        return correct_entry(wish, actor, players)
    if kind is commands.AppointArbiter:
        players.exist([wish["player"]])
    for ruling in wish.get("results", [wish]):
        if ruling.get("points") is not None:
            ruling["points"] = tuple(ruling["points"])
    return kind(**wish)


def enter(wish: dict[str, Any], actor: Actor, players: Players) -> commands.Enter:
    """Make the command that enters a player, given by id or by name."""
    player, name = wish.pop("player", None), wish.pop("name", None)
    if (player is None) == (name is None):
        raise BadValue("player", "either player or name")
    if player is not None:
        players.exist([player])
        check_consent(players, player, actor)
    else:
        player = players.unclaimed(name, actor.player)
    return commands.Enter(player=player, **wish)


def correct_entry(wish: dict[str, Any], actor: Actor, players: Players) -> commands.CorrectEntry:
    """Make the command that corrects an entry, with the player of the right name if one is given.

    Raises BadValue for the name of a registered player, which is theirs to change.
    """
    name = wish.pop("name", None)
    if name is None:
        return commands.CorrectEntry(**wish)
    players.exist([wish["player"]])
    if players.load(wish["player"]).claimed:
        raise BadValue("name", "belongs to a registered player, who can change it")
    return commands.CorrectEntry(**wish, replacement=players.unclaimed(name, actor.player))


def make_import_command(
    report: Report, variant: str, kind: TournamentKind, actor: Actor, players: Players
) -> ImportReport:
    """Make the command that creates a tournament from a FIDE report; its players are found by name.

    Raises what `setup.make_rules_event` and `reporting.derive_events` raise, BadValue, or
    BadAnnotation if there are too many players, two are one person, or one has no name.
    """
    command = make_creation(report, variant, kind)
    # Players are created permanently, so only for a tournament that is possible.
    make_rules_event(command)
    names = list_names(report)
    if len(names) > (most := most_entries(kind, command.cycles)):
        raise BadValue("players", phrase("at most {most}", most=most))
    for name in names:
        check_recorded_name(name)
    derive_events(report, kind, {name: name for name in names})
    ids = players.all_unclaimed(names, actor.player)
    check_distinct(players.log, ids)
    return ImportReport(tournament=command, report=report, players=ids)
