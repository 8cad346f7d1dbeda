"""`movelog puzzles`: withdraw puzzles, restore them, and list those that are withdrawn."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

import click

from service.cli.options import add_service_options
from service.cli.queries.search import fetch_pages
from service.cli.tables import format_table

if TYPE_CHECKING:
    from service.cli.client import Client

HEADER = ("puzzle", "variant", "withdrawn", "reason")


@click.group(short_help="Withdraw puzzles, and restore them.")
def puzzles() -> None:
    """Withdraw puzzles of a running service, such as one whose solution is wrong, and restore them.

    Nobody is offered a withdrawn puzzle or can try it. Earlier attempts at it, and the ratings that
    came of them, stay as they are. Needs an admin's token.

    \b
        movelog puzzles withdraw 09020fa909 --reason "Sa8 wins too"
        movelog puzzles list
        movelog puzzles restore 09020fa909
    """


@puzzles.command(short_help="Withdraw a puzzle.")
@click.argument("puzzle")
@click.option("--reason", default="", help="Why; only admins are told.")
@add_service_options
def withdraw(puzzle: str, reason: str, service: Client) -> None:
    """Withdraw PUZZLE, an id."""
    done = service.put(f"/puzzles/{puzzle}/withdrawal", {"reason": reason})
    click.echo(f"{done['puzzle']} is withdrawn")


@puzzles.command(short_help="Restore a withdrawn puzzle.")
@click.argument("puzzle")
@add_service_options
def restore(puzzle: str, service: Client) -> None:
    """Offer PUZZLE, an id, again."""
    click.echo(f"{service.delete(f'/puzzles/{puzzle}/withdrawal')['puzzle']} is restored")


@puzzles.command(name="list", short_help="List the withdrawn puzzles.")
@click.option("--limit", type=click.IntRange(1), help="List at most this many puzzles [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each puzzle.")
@add_service_options
def list_(limit: int | None, as_json: bool, service: Client) -> None:
    """List the withdrawn puzzles, newest withdrawal first."""
    found = list(islice(fetch_pages(service, {}, "/puzzles/withdrawals"), limit))
    if as_json:
        for one in found:
            click.echo(json.dumps(one))
    elif found:
        rows = ([one["puzzle"], one["variant"], one["at"], one["reason"]] for one in found)
        click.echo(format_table(HEADER, rows))
    else:
        click.echo("0 puzzles", err=True)
