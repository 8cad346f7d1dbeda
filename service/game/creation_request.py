"""Turns requests to create a game into commands, once their players are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.side import Side
from service.errors import BadValue, NotFound
from service.game.commands import CreateGame
from service.game.setup import check_setup
from service.game.values import Mode
from service.player.actor import Actor
from service.player.names.recorded import check_recorded_name
from service.player.repository import Players

SIDES = ("first", "second")


def make_creation(players: Players, wish: Mapping[str, Any], actor: Actor, id: str) -> CreateGame:
    """Make the command that creates the game `id` as requested.

    `wish` has variant, mode, tags and terms; side and opponent for a challenge, players otherwise.
    Raises BadValue, also for an unknown player. For a game between named players it also raises
    what `check_setup` raises.
    """
    if wish["mode"] == Mode.CHALLENGE:
        return make_command(wish, *challenge_seats(players, wish, actor, id))
    # Players given by name are created for good, so only for a game that can be created.
    check_setup(make_command(wish, *SIDES), actor)
    return make_command(wish, *find_named_seats(players, wish, actor))


def make_command(wish: Mapping[str, Any], first: str | None, second: str | None) -> CreateGame:
    """The command to create the requested game, with these players' ids."""
    expires = wish["expires_in_seconds"]
    return CreateGame(
        variant=wish["variant"],
        mode=wish["mode"],
        first=first,
        second=second,
        tags=wish["tags"],
        fen=wish["fen"],
        secret_choice=wish["infiltrators"],
        time_control=wish["time_control"],
        rated=wish["rated"],
        ply_limit=wish["ply_limit"],
        draw_by_points=wish["draw_by_points"],
        visibility=wish["visibility"],
        expires_after=None if expires is None else 1000 * expires,
    )


def challenge_seats(
    players: Players, wish: Mapping[str, Any], actor: Actor, id: str
) -> tuple[str | None, str | None]:
    """The challenger on their side, the opponent (or nobody yet) on the other."""
    if "players" in wish:
        raise BadValue("players", "a challenge takes side and opponent instead")
    opponent = wish.get("opponent")
    if opponent == actor.player:
        raise BadValue("opponent", "cannot be the challenger")
    if opponent is not None:
        require_registered(players, "opponent", opponent)
    side = wish.get("side", "random")
    if side == "random":
        # A retry has the same id, and must draw the same side.
        side = SIDES[sum(id.encode()) % 2]
    own = Side(SIDES.index(side))
    return (actor.player, opponent) if own is Side.FIRST else (opponent, actor.player)


def find_named_seats(players: Players, wish: Mapping[str, Any], actor: Actor) -> tuple[str, str]:
    """Both players as the scribe or arbiter named them."""
    for field in ("side", "opponent"):
        if wish.get(field) is not None:
            raise BadValue(field, "only for a challenge; name the players instead")
    if "players" not in wish:
        raise BadValue("players", "needed: first and second, each with id or name")
    seats = [wish["players"][side] for side in SIDES]
    if seats[0] == seats[1]:
        raise BadValue("players.second", "one player cannot have both sides")
    for side, named in zip(SIDES, seats, strict=True):
        check_seat(players, named, f"players.{side}", wish["mode"])
    first, second = (
        named["id"] if "id" in named else players.unclaimed(named["name"], actor.player)
        for named in seats
    )
    return first, second


def check_seat(players: Players, named: Mapping[str, str], field: str, mode: str) -> None:
    """Raise BadValue or BadAnnotation unless this player can take a seat."""
    if ("id" in named) == ("name" in named):
        raise BadValue(field, "either id or name")
    if "id" in named:
        require_registered(players, field, named["id"])
    elif mode != Mode.SCRIBE:
        raise BadValue(field, "needs an id, because only registered players can play here")
    else:
        check_recorded_name(named["name"])


def require_registered(players: Players, field: str, id: str) -> None:
    """Raise BadValue unless the id is that of a player who has not been erased."""
    try:
        players.exist([id])
    except NotFound as error:
        raise BadValue(field, str(error)) from error
