"""A wish to create a game, with its players found: what lies between request and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.side import Side
from service.errors import BadValue
from service.game.commands import Actor, CreateGame
from service.game.values import Mode
from service.players import Players

SIDES = ("first", "second")


def engage(players: Players, wish: Mapping[str, Any], actor: Actor, id: str) -> CreateGame:
    """The command to create the game `id` that is wished for.

    `wish` has variant, mode, tags and fen; side and opponent for a challenge, players otherwise.
    Raises BadValue, or NotFound for a player who is none.
    """
    if wish["mode"] == Mode.CHALLENGE:
        seats = challenge_seats(players, wish, actor, id)
    else:
        seats = named_seats(players, wish, actor)
    return CreateGame(
        variant=wish["variant"],
        mode=wish["mode"],
        first=seats[0],
        second=seats[1],
        tags=wish["tags"],
        fen=wish["fen"],
    )


def challenge_seats(
    players: Players, wish: Mapping[str, Any], actor: Actor, id: str
) -> tuple[str | None, str | None]:
    """The challenger on their side, the opponent (or nobody yet) on the other."""
    if "players" in wish:
        raise BadValue("players", "a challenge names side and opponent")
    opponent = wish.get("opponent")
    if opponent == actor.player:
        raise BadValue("opponent", "someone else than the challenger")
    if opponent is not None:
        players.exist([opponent])
    side = wish.get("side", "random")
    if side == "random":
        # A retry has the same id, and must find the same draw.
        side = SIDES[sum(id.encode()) % 2]
    own = Side(SIDES.index(side))
    return (actor.player, opponent) if own is Side.FIRST else (opponent, actor.player)


def named_seats(players: Players, wish: Mapping[str, Any], actor: Actor) -> tuple[str, str]:
    """Both players as the scribe or arbiter named them."""
    for field in ("side", "opponent"):
        if wish.get(field) is not None:
            raise BadValue(field, "only a challenge has it; name the players")
    if "players" not in wish:
        raise BadValue("players", "needed: first and second, each with id or name")
    first, second = (seat(players, wish["players"][side], side, wish, actor) for side in SIDES)
    return first, second


def seat(
    players: Players, named: Mapping[str, str], side: str, wish: Mapping[str, Any], actor: Actor
) -> str:
    """The id of one named player: registered, or known by name from records alone."""
    if ("id" in named) == ("name" in named):
        raise BadValue(f"players.{side}", "either id or name")
    if "id" in named:
        players.exist([named["id"]])
        return named["id"]
    if wish["mode"] != Mode.SCRIBE:
        raise BadValue(f"players.{side}", "an id: who plays needs a token")
    return players.unclaimed(named["name"], actor.player)
