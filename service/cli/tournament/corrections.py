"""`movelog tournament amend`, `correct`, `remove`, `cancel`: corrections of wrong entries."""

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

if TYPE_CHECKING:
    from service.cli.client import Client


@tournament.command(short_help="Correct a tournament's own data.")
@add_tournament_options
@click.option("--name", help="The name.")
@click.option("--rounds", type=int, help="The number of rounds of a Swiss.")
@click.option("--time-control", help="The time control: 900+10.")
@click.option("--starts-on", help="The first day: 2030-01-31.")
@click.option("--ends-on", help="The last day.")
@click.option("--reason", help="Why, in one line; rounds and time need it after the start.")
def amend(id: str, service: Client, as_json: bool, **given: Any) -> None:
    """Correct a tournament's name, days, time control or rounds."""
    answer = send_command(service, id, {"type": "amend", **given})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Correct an entry.")
@add_tournament_options
@click.argument("player")
@click.option("--name", help="The right name of a player who was entered by name.")
@click.option("--rating", type=int, help="The rating.")
@click.option("--seed", type=int, help="The place in the seeding.")
def correct(id: str, player: str, service: Client, as_json: bool, **given: Any) -> None:
    """Correct a player's name, rating or seed. PLAYER is an id."""
    answer = send_command(service, id, {"type": "correct-entry", "player": player, **given})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Remove a player who was never paired.")
@add_tournament_options
@click.argument("player")
def remove(id: str, player: str, service: Client, as_json: bool) -> None:
    """Remove a player who was entered by mistake and never paired. PLAYER is an id."""
    answer = send_command(service, id, {"type": "remove-entry", "player": player})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Call off a tournament without rounds.")
@add_tournament_options
def cancel(id: str, service: Client, as_json: bool) -> None:
    """Call a tournament off. Take its rounds back first, if it has any."""
    answer = send_command(service, id, {"type": "cancel"})
    print_answer(answer, as_json, format_tournament(answer))
