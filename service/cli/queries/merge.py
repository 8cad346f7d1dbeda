"""`movelog merge`: find players who may be the same person, and merge them."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from service.cli.options import add_service_options
from service.cli.queries.search import fetch_pages
from service.cli.tables import format_table
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

HEADER = ("%", "reason", "player", "games", "other", "games", "met")


@click.group(short_help="Find players who may be the same person, and merge them.")
def merge() -> None:
    """Find players of a running service who may be the same person, and merge them.

    Records spell one name in several ways: `Ng, Ada` and `A. Ng`. Needs an admin's token.

    \b
        movelog merge list --limit 20
        movelog merge apply k3v5qg2xw7pfa4ze a5x7rqmpf2h3kc6d
        movelog merge dismiss k3v5qg2xw7pfa4ze d7q6nzc3d5wv7m2k
    """


@merge.command(name="list", short_help="List players who may be the same person.")
@click.option("--limit", type=click.IntRange(1), help="List at most this many pairs [all].")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each pair.")
@add_service_options
def list_(limit: int | None, as_json: bool, service: Client) -> None:
    """List pairs of players whose names may be spellings of one name, the likeliest first.

    The first of each pair is known only from records. `%` is a rough estimate of how likely the two
    are to be the same person, `met` the number of games they have played against each other.
    """
    pairs = list(islice(fetch_pages(service, {}, "/merge-suggestions"), limit))
    if as_json:
        for pair in pairs:
            click.echo(json.dumps(pair))
    elif pairs:
        click.echo(format_table(HEADER, map(make_row, pairs)))
    else:
        click.echo("0 pairs", err=True)


@merge.command(short_help="Merge a player into another.")
@click.argument("player")
@click.argument("into")
@add_service_options
def apply(player: str, into: str, service: Client) -> None:
    """Merge PLAYER, who is known only from records, into another; both are ids.

    All games of PLAYER are shown as the other's from then on; `movelog merge undo` reverses it.
    """
    merged = service.post(f"/players/{player}/merge", {"into": into}, str(uuid4()))
    click.echo(f"{merged['id']} is shown as {merged['merged_into']}")


@merge.command(short_help="Undo a merger.")
@click.argument("player")
@add_service_options
def undo(player: str, service: Client) -> None:
    """Show PLAYER, an id, under their own name again."""
    click.echo(f"{service.delete(f'/players/{player}/merge')['id']} is shown under their own name")


@merge.command(short_help="Record that two players are different people.")
@click.argument("player")
@click.argument("other")
@add_service_options
def dismiss(player: str, other: str, service: Client) -> None:
    """Record that PLAYER and OTHER, both ids, are different people; they are no longer listed."""
    service.put(f"/players/{player}/distinct/{other}")
    click.echo(f"{player} and {other} are different people")


def make_row(pair: dict[str, Any]) -> list[Any]:
    """A pair as a row under HEADER."""
    player, other = (
        (f"{shown_name(one)} ({one['id']})", one["games"])
        for one in (pair["player"], pair["other"])
    )
    return [pair["likelihood"], pair["reason"], *player, *other, pair["met"]]
