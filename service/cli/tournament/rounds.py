"""`movelog tournament pair`, `unpair`, `round`, `join`: rounds and the games in them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import click

from service.cli.tournament.group import (
    add_tournament_options,
    format_round,
    format_tournament,
    print_answer,
    send_command,
    tournament,
)

if TYPE_CHECKING:
    from service.cli.client import Client

POLL: Final = 0.1
"""Seconds between two looks at a round that is being paired."""
PATIENCE: Final = 900.0
"""The most seconds to wait for a round; a thousand players take minutes."""


@tournament.command(short_help="Pair the next round.")
@add_tournament_options
@click.option("--board", "boards", multiple=True, help="In free pairing: FIRST:SECOND, two ids.")
def pair(id: str, boards: tuple[str, ...], service: Client, as_json: bool) -> None:
    """Pair the next round, wait until it is ready, and print it."""
    body: dict[str, Any] = {"type": "pair"}
    if boards:
        sides = [board.partition(":") for board in boards]
        body["boards"] = [{"first": first, "second": second} for first, _, second in sides]
    number = send_command(service, id, body)["number"]
    deadline = time.monotonic() + PATIENCE
    while (paired := service.get(f"/tournaments/{id}/rounds/{number}"))["status"] == "pairing":
        if time.monotonic() > deadline:
            raise click.ClickException(f"round {number} is still being paired")
        time.sleep(POLL)
    if paired["status"] == "refused":
        raise click.ClickException(f"{paired['refusal']['detail']} ({paired['refusal']['code']})")
    print_answer(paired, as_json, format_round(paired))


@tournament.command(short_help="Take back the last round.")
@add_tournament_options
@click.argument("round", type=int)
@click.option("--reason", required=True, help="Why, in one line; the log keeps it.")
def unpair(id: str, round: int, reason: str, service: Client, as_json: bool) -> None:
    """Take back the last round, if nothing was played in it, and close its games."""
    answer = send_command(service, id, {"type": "unpair", "round": round, "reason": reason})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(name="round", short_help="Show a round's pairings and results.")
@add_tournament_options
@click.argument("number", type=int)
def show_round(id: str, number: int, service: Client, as_json: bool) -> None:
    """Show the pairings and results of a round."""
    answer = service.get(f"/tournaments/{id}/rounds/{number}")
    print_answer(answer, as_json, format_round(answer))


@tournament.command(short_help="Count a game played elsewhere.")
@add_tournament_options
@click.argument("game")
@click.argument("round", type=int)
def join(id: str, game: str, round: int, service: Client, as_json: bool) -> None:
    """Count a finished game from outside the tournament in ROUND."""
    answer = send_command(service, id, {"type": "join", "game": game, "round": round})
    print_answer(answer, as_json, format_tournament(answer))
