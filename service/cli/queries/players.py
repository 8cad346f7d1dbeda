"""`movelog players`: find players of a running service."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from service.cli.options import add_service_options
from service.cli.queries.search import fetch_pages
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client


@click.command(short_help="Find players of a running service.")
@click.argument("name", default="")
@click.option("--limit", type=click.IntRange(1), help="List at most this many players [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each player.")
@add_service_options
def players(name: str, limit: int | None, as_json: bool, service: Client) -> int:
    """Find players with a word in their name that starts with NAME; without NAME, list all.

    Prints a line `id name (variant speed rating, …)` for each player.

    \b
        movelog players love
    """
    for player in islice(fetch_pages(service, {"name": name}, "/players"), limit):
        click.echo(json.dumps(player) if as_json else format_player(player))
    return 0


def format_player(player: dict[str, Any]) -> str:
    """A player on one line: the id, the name and the ratings."""
    rated = [
        f"{variant} {speed} {one['rating']:.0f}"
        for variant, by_speed in player["ratings"].items()
        for speed, one in by_speed.items()
    ]
    text = f"{player['id']} {shown_name(player)}"
    return f"{text} ({', '.join(rated)})" if rated else text
