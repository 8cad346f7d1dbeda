"""`movelog tournament enter`, `withdraw`, `self-entry`, `bye`: who plays, and in which rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from service.cli.tournament.group import (
    add_tournament_options,
    format_tournament,
    print_answer,
    send_command,
    tournament,
)
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client


@tournament.command(short_help="Enter a player.")
@add_tournament_options
@click.option("--player", help="The id of a registered player.")
@click.option("--name", help="The name of a player known only from records.")
@click.option("--rating", type=int, help="The rating that seeds the player.")
@click.option("--seed", type=int, help="The place in the seeding [default: by rating].")
def enter(id: str, service: Client, as_json: bool, **given: Any) -> None:
    """Enter a player. A late or withdrawn player can be entered too."""
    answer = send_command(service, id, {"type": "enter", **given})
    players = answer["players"]
    named = [p for p in players if given["player"] in (None, p["id"])]
    entered = [p for p in named if given["name"] in (None, p["name"])]
    lines = [f"{shown_name(p)} {p['id']}: seed {p['seed']} of {len(players)}" for p in entered]
    print_answer(answer, as_json, "\n".join(lines))


@tournament.command(short_help="Withdraw a player from later rounds.")
@add_tournament_options
@click.argument("player")
def withdraw(id: str, player: str, service: Client, as_json: bool) -> None:
    """Withdraw a player: later rounds are paired without them. PLAYER is an id."""
    answer = send_command(service, id, {"type": "withdraw", "player": player})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Open or close self-entry.")
@add_tournament_options
@click.argument("state", type=click.Choice(["open", "closed"]))
def self_entry(id: str, state: str, service: Client, as_json: bool) -> None:
    """Open or close self-entry: while it is open, players enter and withdraw by themselves."""
    kind = "open-self-entry" if state == "open" else "close-self-entry"
    answer = send_command(service, id, {"type": kind})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Give a player a bye.")
@add_tournament_options
@click.argument("player")
@click.argument("round", type=int)
@click.argument("bye", type=click.Choice(["full", "half", "zero", "none"]))
def bye(id: str, player: str, round: int, bye: str, service: Client, as_json: bool) -> None:
    """Give a player a full-, half- or zero-point bye in a round of a Swiss; `none` cancels it."""
    body: dict[str, Any] = {"type": "cancel-bye", "player": player, "round": round}
    if bye != "none":
        body |= {"type": "grant-bye", "bye": f"{bye}-bye"}
    answer = send_command(service, id, body)
    print_answer(answer, as_json, format_tournament(answer))
