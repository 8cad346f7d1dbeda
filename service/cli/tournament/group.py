"""What the commands of `movelog tournament` share: the group, options, and printing of answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from service.cli.options import add_service_options
from service.cli.tables import format_table
from service.cli.terms import format_terms
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client


@click.group(short_help="Run tournaments, and see how they stand.")
def tournament() -> None:
    """Run a tournament on a running service, and see how it stands.

    \b
        movelog tournament create "Spring Open" katruji swiss --rounds 5
        movelog tournament enter ID --name Ada --rating 1850
        movelog tournament pair ID
        movelog tournament standings ID

    Changing a tournament needs a token of one of its arbiters. --json prints the service's
    answer as it is.
    """


def add_shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --url, --token and --json; the command gets `service` and `as_json`."""
    json_option = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
    return json_option(add_service_options(command))


def add_tournament_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same options, and the tournament's id as the first argument."""
    return click.argument("id")(add_shared_options(command))


def send_command(service: Client, id: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a command to a tournament, without the fields that are None; raises Refused."""
    given = {name: value for name, value in body.items() if value is not None}
    return service.post(f"/tournaments/{id}/commands", given, str(uuid4()))


def print_answer(answer: dict[str, Any], as_json: bool, text: str) -> None:
    """Print an answer as JSON, or else as the given text."""
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else text)


def format_tournament(answer: dict[str, Any]) -> str:
    """A tournament as a line, with a table of its players."""
    head = f"{answer['id']} {answer['name']} ({answer['variant']}, {answer['kind']}): "
    head += f"{answer['status']}, version {answer['version']}, rounds {answer['rounds_ready']}"
    head += f" of {answer['rounds']}" if answer["rounds"] else ""
    head += ", the next is being paired" if answer["pairing"] else ""
    head += ", self-entry is open" if answer["self_entry"] else ""
    if refusal := answer["refusal"]:
        head += f"; round {refusal['round']} was refused: {refusal['detail']} ({refusal['code']})"
    head += f"\nterms: {format_terms(answer['terms'])}"
    players = answer["players"]
    if not players:
        return head
    rows = [
        (
            p["seed"],
            shown_name(p),
            p["rating"],
            p["id"],
            f"out from {p['withdrawn']}" if p["withdrawn"] else "",
        )
        for p in players
    ]
    return f"{head}\n{format_table(['seed', 'name', 'rating', 'id', ''], rows)}"


def format_round(round: dict[str, Any]) -> str:
    """A round as a table of its pairings and byes."""
    rows = [
        (
            one["board"],
            shown_name(one["first"]),
            one["result"],
            shown_name(one["second"]),
            one["game"],
        )
        for one in round["pairings"]
    ]
    rows += [("", shown_name(one["player"]), one["bye"], "", "") for one in round["byes"]]
    return f"Round {round['number']}, {round['status']}\n" + format_table(
        ["board", "first", "result", "second", "game"], rows
    )
