"""`movelog search`: find games of a running service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from service.cli.finding import client, filters, query, service_options
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

PAGE = 200


@click.command(short_help="Find games of a running service.")
@filters
@click.option("--limit", type=click.IntRange(1), help="At most so many games [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game.")
@service_options
def search(
    limit: int | None, as_json: bool, url: str | None, token: str | None, **given: Any
) -> int:
    """Find games of a running service by all that is given, newest first.

    Prints a line `id variant result plies first - second (event)` for each, and says on standard
    error if there is none.

    \b
        movelog search --variant katruji --fen start --result 1-0
        movelog search --event "Club evening" --since 2025.01.01 --json
    """
    count = 0
    for game in islice(found(client(url, token), query(given)), limit):
        click.echo(json.dumps(game) if as_json else line(game))
        count += 1
    if not count:
        click.echo("0 games", err=True)
    return 0


def found(
    service: Client, parameters: dict[str, str], path: str = "/search"
) -> Iterator[dict[str, Any]]:
    """Every game, or what else is listed at a path, that fits, page by page; raises Refused."""
    cursor: str | None = None
    while True:
        asked = {**parameters, "limit": str(PAGE)} | ({"cursor": cursor} if cursor else {})
        page = service.get(f"{path}?{urlencode(asked)}")
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def line(game: dict[str, Any]) -> str:
    """A game on one line."""
    players = [shown_name(game["players"][side]) for side in ("first", "second")]
    event = game["tags"].get("Event", "?")
    told = f"{game['id']} {game['variant']} {game['result']} {game['ply']} {' - '.join(players)}"
    return told if event == "?" else f"{told} ({event})"
