"""`movelog player`: how a player's games in a running service went."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import uuid4

import click

from service.accounts.links import PATHS, Purpose
from service.cli.options import Command, add_service_options
from service.cli.queries.filters import FILTERS, read_filters
from service.cli.queries.search import fetch_pages
from service.cli.tables import format_table
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

SELECTED: Final = ("variant", "side", "opponent", "speed", "since", "until")
"""The filters of searches by which a player's games can be selected."""
COUNTED: Final = ("games", "won", "drawn", "lost", "unclear")
STREAKS: Final = ("winning", "unbeaten", "losing")


def selection_options(command: Command) -> Command:
    """Add an option for each filter that a report takes."""
    for name in reversed(SELECTED):
        help = "The player's side: first or second." if name == "side" else FILTERS[name]
        command = click.option(f"--{name}", help=help)(command)
    return command


@click.command(short_help="Report how a player's games went.")
@click.argument("id")
@selection_options
@click.option("--opponents", is_flag=True, help="List the opponents, the most frequent first.")
@click.option("--openings", is_flag=True, help="List the first actions; needs --variant.")
@click.option(
    "--sign-in-link", is_flag=True, help="Print a link with which the player can sign in once."
)
@click.option("--limit", type=click.IntRange(1), help="List at most this many lines [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each line.")
@add_service_options
def player(
    id: str,
    opponents: bool,
    openings: bool,
    sign_in_link: bool,
    limit: int | None,
    as_json: bool,
    service: Client,
    **given: Any,
) -> int:
    """Report the results of a player's finished games; movelog players finds the ID.

    Prints how many games were won, drawn, lost and unclear in all, by variant, side, speed and
    year, with the longest streaks; or against each opponent, or after each first action.

    \b
        movelog player a5x7rqmpf2h3kc6d --opponent k3v5qg2xw7pfa4ze
        movelog player a5x7rqmpf2h3kc6d --variant katruji --openings

    An admin can help a player who has lost every way to sign in: --sign-in-link prints a link that
    works once, within a day.
    """
    if sign_in_link:
        made = service.post(f"/players/{id}/sign-in-link", {}, str(uuid4()))
        click.echo(f"{service.url}{PATHS[Purpose.RECOVER]}{made['token']}")
        return 0
    if opponents and openings:
        raise click.UsageError("give --opponents or --openings, not both")
    query = read_filters(given)
    if opponents:
        scores = list(islice(fetch_pages(service, query, f"/players/{id}/opponents"), limit))
    else:
        path = f"/players/{id}/{'openings' if openings else 'report'}"
        scores = service.get(f"{path}?{urlencode(query)}")["items"][:limit]
    if as_json:
        for score in scores:
            click.echo(json.dumps(score))
        return 0
    streaks = [f"longest_{kind}" for kind in STREAKS] if not (opponents or openings) else []
    header = ["by", "of", *COUNTED, *(name.replace("_", " ") for name in streaks)]
    names = [*COUNTED, *streaks]
    rows = [[score["by"], name_group(score), *(score[name] for name in names)] for score in scores]
    click.echo(format_table(header, rows))
    return 0


def name_group(score: dict[str, Any]) -> str:
    """What the games of a score have in common, in words."""
    if "player" in score:
        return f"{shown_name(score['player'])} ({score['of']})"
    if "san" in score:
        return f"{score['san']} ({score['side']})"
    return str(score["of"])
