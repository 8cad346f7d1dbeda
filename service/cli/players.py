"""`movelog players`: find players of a running service."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import click

from service.cli.finding import client, service_options
from service.cli.search import found
from service.player.names.shown import shown_name


@click.command(short_help="Find players of a running service.")
@click.argument("name", default="")
@click.option("--limit", type=click.IntRange(1), help="At most so many players [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each player.")
@service_options
def players(name: str, limit: int | None, as_json: bool, url: str | None, token: str | None) -> int:
    """Find players of whose names some word begins with NAME; without it, list all.

    Prints a line `id name (variant rating, …)` for each.

    \b
        movelog players love
    """
    for player in islice(found(client(url, token), {"name": name}, "/players"), limit):
        click.echo(json.dumps(player) if as_json else line(player))
    return 0


def line(player: dict[str, Any]) -> str:
    """A player on one line."""
    rated = [f"{variant} {one['rating']:.0f}" for variant, one in player["ratings"].items()]
    told = f"{player['id']} {shown_name(player)}"
    return f"{told} ({', '.join(rated)})" if rated else told
