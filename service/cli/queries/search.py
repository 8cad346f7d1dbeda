"""`movelog search`: find games of a running service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from service.cli.options import add_service_options
from service.cli.queries.filters import filter_options, read_filters
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

PAGE = 200


@click.command(short_help="Find games of a running service.")
@filter_options
@click.option("--sort", help="created, updated, day, plies or rating, the highest first [created].")
@click.option("--count", is_flag=True, help="Print only the number of matching games.")
@click.option("--limit", type=click.IntRange(1), help="List at most this many games [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game.")
@add_service_options
def search(limit: int | None, count: bool, as_json: bool, service: Client, **given: Any) -> int:
    """Find games of a running service that match all given options, newest first.

    Prints a line `id variant result plies first - second (event)` for each game, or `0 games` on
    standard error. With --count it prints only their number, after `about` if the service has
    estimated it.

    \b
        movelog search --variant katruji --fen start --result 1-0
        movelog search --event "Club evening" --since 2025.01.01 --json
    """
    if count:
        click.echo(count_games(service, read_filters(given), as_json))
        return 0
    found = 0
    for game in islice(fetch_pages(service, read_filters(given)), limit):
        click.echo(json.dumps(game) if as_json else format_game(game))
        found += 1
    service.warn_of_lag()
    if not found:
        click.echo("0 games", err=True)
    return 0


def count_games(service: Client, parameters: dict[str, str], as_json: bool) -> str:
    """How many games match, as text; raises Refused."""
    query = {**parameters, "count": "true", "limit": "1"}
    counted = service.get(f"/search?{urlencode(query)}")["count"]
    if as_json:
        return json.dumps(counted)
    return f"{'' if counted['exact'] else 'about '}{counted['games']}"


def fetch_pages(
    service: Client, parameters: dict[str, str], path: str = "/search"
) -> Iterator[dict[str, Any]]:
    """Yield every matching item of the list at a path, page by page; raises Refused."""
    cursor: str | None = None
    while True:
        query = {**parameters, "limit": str(PAGE)} | ({"cursor": cursor} if cursor else {})
        page = service.get(f"{path}?{urlencode(query)}")
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def format_game(game: dict[str, Any]) -> str:
    """A game on one line: its id, variant, result, plies, players and event."""
    players = [shown_name(game["players"][side]) for side in ("first", "second")]
    event = game["tags"].get("Event", "?")
    text = f"{game['id']} {game['variant']} {game['result']} {game['ply']} {' - '.join(players)}"
    return text if event == "?" else f"{text} ({event})"
