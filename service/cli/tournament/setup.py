"""`movelog tournament create`, `list`, `show`, `arbiter`, `finish`: tournaments as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import uuid4

import click

from service.cli.tables import format_table
from service.cli.tournament.group import (
    add_shared_options,
    add_tournament_options,
    format_tournament,
    print_answer,
    send_command,
    tournament,
)
from service.player.names.shown import shown_name
from service.tournament.standings.term import RankTerm

if TYPE_CHECKING:
    from service.cli.client import Client


PLAIN: Final = (
    *("rounds", "cycles", "infiltrators", "fen"),
    *("time_control", "ply_limit", "no_show_minutes", "starts_on", "ends_on"),
)
"""Options that are members of the request."""


@tournament.command(short_help="Set a tournament up.")
@click.argument("name")
@click.argument("variant")
@click.argument("kind", type=click.Choice(["round-robin", "swiss", "knockout", "free"]))
@click.option("--rounds", type=int, help="The number of rounds of a Swiss.")
@click.option("--cycles", type=int, help="How often each pair meets in a round robin [1].")
@click.option("--scoring", help="A scoring scheme: standard, three-points [standard].")
@click.option(
    "--order",
    help=f"The terms that rank the players, comma-separated. Terms: {', '.join(RankTerm)}.",
)
@click.option("--tag", "tags", multiple=True, help="A tag for every game: PlyLimit=200.")
@click.option(
    "--infiltrators", help="How infiltrators are handled: sealed, unknown, none [sealed]."
)
@click.option("--fen", help="The position every game starts from.")
@click.option("--games", type=int, help="The number of games in a knockout tie.")
@click.option("--time-control", help="The games' clocks: 900+10, 600+0+30(5), 1/259200.")
@click.option("--casual", is_flag=True, help="Games that do not count for ratings.")
@click.option("--ply-limit", type=int, help="The actions after which a game is drawn.")
@click.option("--draw-by-points", is_flag=True, help="A draw goes to the side with more points.")
@click.option("--no-show-minutes", type=int, help="Minutes after which an absent player forfeits.")
@click.option("--over-the-board", is_flag=True, help="Arbiters enter results; games are casual.")
@click.option("--starts-on", help="The first day: 2030-01-31.")
@click.option("--ends-on", help="The last day.")
@click.option("--self-entry", is_flag=True, help="Players may enter themselves.")
@add_shared_options
def create(
    name: str, variant: str, kind: str, service: Client, as_json: bool, **given: Any
) -> None:
    """Set up a tournament, and print its id. You become its arbiter."""
    body: dict[str, Any] = {"name": name, "variant": variant, "kind": kind}
    body |= {name: given[name] for name in PLAIN if given[name] is not None}
    if given["casual"] or given["over_the_board"]:
        body["rated"] = False
    if given["over_the_board"]:
        body["over_the_board"] = True
    if given["self_entry"]:
        body["self_entry"] = True
    if given["draw_by_points"]:
        body["draw_by_points"] = True
    if given["scoring"]:
        body["scoring"] = {"name": given["scoring"]}
    if given["order"]:
        body["order"] = given["order"].split(",")
    if given["games"]:
        body["knockout"] = {"games": given["games"]}
    body["tags"] = dict(split_tag(tag) for tag in given["tags"])
    answer = service.post("/tournaments", body, str(uuid4()))
    print_answer(answer, as_json, answer["id"])


def split_tag(text: str) -> tuple[str, str]:
    """The name and value of a tag; click.UsageError if it is not NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--tag {text}: expected NAME=VALUE")
    return name, value


@tournament.command("list", short_help="List tournaments, newest first.")
@click.option("--variant", help="The game: katruji, kerak, …")
@click.option("--status", help="open, running, finished or cancelled.")
@click.option("--name", help="A part of the name.")
@add_shared_options
def list_(service: Client, as_json: bool, **given: str | None) -> None:
    """List the newest tournaments."""
    filters = urlencode({name: value for name, value in given.items() if value is not None})
    answer = service.get(f"/tournaments?{filters}")
    names = ("id", "name", "variant", "kind", "status", "players", "rounds_ready")
    rows = [
        [*(one[name] for name in names), shown_name(one["organiser"])] for one in answer["items"]
    ]
    print_answer(answer, as_json, format_table([*names[:-1], "rounds", "organiser"], rows))


@tournament.command(short_help="Show a tournament and its players.")
@add_tournament_options
def show(id: str, service: Client, as_json: bool) -> None:
    """Show a tournament, with its players by seed."""
    answer = service.get(f"/tournaments/{id}")
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="Appoint or dismiss an arbiter.")
@add_tournament_options
@click.argument("player")
@click.option("--dismiss", is_flag=True, help="Dismiss the player instead.")
def arbiter(id: str, player: str, dismiss: bool, service: Client, as_json: bool) -> None:
    """Appoint a player as an arbiter of the tournament, or dismiss one."""
    kind = "dismiss-arbiter" if dismiss else "appoint-arbiter"
    answer = send_command(service, id, {"type": kind, "player": player})
    print_answer(answer, as_json, format_tournament(answer))


@tournament.command(short_help="End a tournament.")
@add_tournament_options
def finish(id: str, service: Client, as_json: bool) -> None:
    """End a tournament. Results can still be corrected."""
    answer = send_command(service, id, {"type": "finish"})
    print_answer(answer, as_json, format_tournament(answer))
