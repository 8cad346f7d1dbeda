"""`movelog explore`: the actions played from a position, and their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from service.cli.options import add_service_options

if TYPE_CHECKING:
    from service.cli.client import Client

RESULTS = ("1-0", "1/2-1/2", "0-1", "*")


@click.command(short_help="Show what was played from a position, and how it scored.")
@click.argument("fen", default="start")
@click.option("--variant", required=True, help="The game: katruji, kerak, …")
@click.option("--json", "as_json", is_flag=True, help="The service's answer as JSON.")
@add_service_options
def explore(fen: str, variant: str, as_json: bool, service: Client) -> int:
    """Show what was played from FEN (or start) in a service's finished games, and how it scored.

    Prints a line `action games 1-0 1/2-1/2 0-1 *` for each action, the most frequent first.
    """
    query = urlencode({"variant": variant, "fen": fen})
    answer = service.get(f"/explorer?{query}")
    if as_json:
        click.echo(json.dumps(answer))
        return 0
    rows = [["action", "games", *RESULTS]]
    rows += [
        [one["san"] or one["action"], str(one["games"]), *count_results(one["results"])]
        for one in answer["actions"]
    ]
    if any(answer["ended"].values()):
        rows.append(
            ["(ended)", str(sum(answer["ended"].values())), *count_results(answer["ended"])]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)]
        click.echo("  ".join([first.ljust(widths[0]), *cells]))
    return 0


def count_results(results: dict[str, Any]) -> list[str]:
    """The number of games with each result, in the order of the columns."""
    return [str(results[result]) for result in RESULTS]
