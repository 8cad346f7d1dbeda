"""`movelog explore`: the actions played from a position, and their results."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from service.cli.options import add_service_options
from service.cli.queries.filters import filter_options, read_filters
from service.cli.queries.search import format_game

if TYPE_CHECKING:
    from service.cli.client import Client

RESULTS = ("1-0", "1/2-1/2", "0-1", "*")


@click.command(short_help="Show what was played from a position, and how it scored.")
@click.argument("fen", required=False)
@click.option("--game", metavar="ID", help="The novelty of this finished game.")
@partial(filter_options, without="fen")
@click.option("--json", "as_json", is_flag=True, help="The service's answer as JSON.")
@add_service_options
def explore(fen: str | None, game: str | None, as_json: bool, service: Client, **given: Any) -> int:
    """Show what was played from FEN (or start) in a service's finished games, and how it scored.

    Prints a line `action games 1-0 1/2-1/2 0-1 *` for each action, the most frequent first. The
    options choose the games; --variant is needed. With --game instead, the first line has the
    novelty of that game, its first action to a position that no earlier game has, and the others
    are about the position before it.

    \b
        movelog explore --variant katruji --player k3v5qg2xw7pfa4ze --side first
        movelog explore --game k3v5qg2xw7pfa4ze
    """
    filters = read_filters(given)
    novelty = None
    if game is not None:
        if fen is not None or "variant" in filters:
            raise click.UsageError("--game gives the position; leave out FEN and --variant")
        novelty = service.get(f"/games/{game}/novelty")
        fen, filters["variant"] = novelty["fen"], service.get(f"/games/{game}")["variant"]
    elif "variant" not in filters:
        raise click.UsageError("Missing option '--variant' (or --game)")
    answer = service.get(f"/explorer?{urlencode(filters | {'fen': fen or 'start'})}")
    if as_json:
        click.echo(json.dumps(answer if novelty is None else answer | {"novelty": novelty}))
        return 0
    if novelty is not None:
        click.echo(format_novelty(novelty))
    print_actions(answer)
    return 0


def format_novelty(novelty: dict[str, Any]) -> str:
    """Where a game left the archive, on one line."""
    ply = novelty["ply"]
    left = "never left the archive" if ply is None else f"left with action {ply}, {novelty['san']}"
    earlier = "1 earlier game" if novelty["games"] == 1 else f"{novelty['games']} earlier games"
    last = novelty["last"]
    return f"{left}: {earlier}{', the last ' + format_game(last) if last else ''}"


def print_actions(answer: dict[str, Any]) -> None:
    """Print a line for each action, under a title."""
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
    if answer["partial"]:
        click.echo("movelog: warning: only the newest games are counted", err=True)


def count_results(results: dict[str, Any]) -> list[str]:
    """The number of games with each result, in the order of the columns."""
    return [str(results[result]) for result in RESULTS]
