"""`movelog tournament standings`, `diff`, `explain`, `cross-table`, `card` and `ratings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from service.cli.tables import format_table
from service.cli.tournament.group import (
    add_shared_options,
    add_tournament_options,
    print_answer,
    tournament,
)
from service.player.names.shown import shown_name
from service.projection.games.terms import SPEED_CLASSES, UNTIMED
from service.tournament.standings.term import RankTerm

if TYPE_CHECKING:
    from service.cli.client import Client

as_of_option = click.option("--as-of", help="A round, round:N, version:N or a time [now].")


def get_answer(service: Client, path: str, **given: str | None) -> dict[str, Any]:
    """The JSON at a path, with the query parameters that are not None; raises Refused."""
    query = {name: value for name, value in given.items() if value is not None}
    return service.get(f"{path}?{urlencode(query)}" if query else path)


@tournament.command(short_help="Show the standings.")
@add_tournament_options
@as_of_option
def standings(id: str, as_of: str | None, service: Client, as_json: bool) -> None:
    """Show the standings, now or as of an earlier round, version or time."""
    answer = get_answer(service, f"/tournaments/{id}/standings", as_of=as_of)
    rows = [
        (one["place"], shown_name(one["player"]), *one["values"].values())
        for one in answer["standings"]
    ]
    head = f"{answer['name']}, after round {answer['round']}"
    print_answer(
        answer, as_json, f"{head}\n{format_table(['place', 'name', *answer['order']], rows)}"
    )


@tournament.command(short_help="Show what changed in the standings.")
@add_tournament_options
@click.argument("since")
@click.option("--to", help="Compare with this later point instead of now.")
def diff(id: str, since: str, to: str | None, service: Client, as_json: bool) -> None:
    """Show whose place or numbers changed since SINCE: round:N, version:N or a time.

    round:N takes the first N rounds with their results as they count today, so a correction shows
    on neither side. To see what a correction changed, give the version before it, version:N, which
    `rule` prints.
    """
    path = f"/tournaments/{id}/standings/diff"
    answer = get_answer(service, path, **{"from": since, "to": to})
    rows = [
        (shown_name(c["player"]), format_standing(c["before"]), format_standing(c["after"]))
        for c in answer["changes"]
    ]
    unchanged = f"no standing has changed since {since}"
    if not since.startswith("version:"):
        unchanged += "; for the effect of a correction, give the version before it: version:N"
    table = format_table(["name", "before", "after"], rows)
    print_answer(answer, as_json, table if rows else unchanged)


def format_standing(standing: dict[str, Any] | None) -> str:
    """A place and the numbers behind it; `-` for no standing."""
    if standing is None:
        return "-"
    return f"{standing['place']} ({', '.join(standing['values'].values())})"


@tournament.command(
    short_help="Explain a number in the standings.",
    help=f"""Explain a player's number: which games count, by which rule, and how much each adds.

    PLAYER is an id, TERM one of {", ".join(RankTerm)}.
    """,
)
@add_tournament_options
@click.argument("player")
@click.argument("term", metavar="TERM", type=click.Choice(list(map(str, RankTerm))))
@as_of_option
def explain(
    id: str, player: str, term: str, as_of: str | None, service: Client, as_json: bool
) -> None:
    """Explain a player's number: which games count, by which rule, and how much each adds."""
    path = f"/tournaments/{id}/standings/explain"
    answer = get_answer(service, path, player=player, term=term, as_of=as_of)
    rows = [
        (
            part["round"],
            part["opponent"] and shown_name(part["opponent"]),
            part["value"] if part["counted"] else f"({part['value']})",
            part["note"],
            part["game"],
        )
        for part in answer["parts"]
    ]
    head = f"{shown_name(answer['player'])}: {answer['term']} {answer['value']}\n{answer['rule']}"
    header = ["round", "opponent", "value", "why", "game"]
    print_answer(answer, as_json, f"{head}\n{format_table(header, rows)}")


@tournament.command(name="cross-table", short_help="Show the cross table.")
@add_tournament_options
@as_of_option
def cross_table(id: str, as_of: str | None, service: Client, as_json: bool) -> None:
    """Show the cross table: for each round the opponent's row, the side (f or s) and the points.

    A bye has `-` for the opponent; a game still being played has `*` for the points.
    """
    answer = get_answer(service, f"/tournaments/{id}/cross-table", as_of=as_of)
    rounds = range(1, answer["round"] + 1)
    score = answer["order"][0]
    rows = [
        (
            number,
            shown_name(row["player"]),
            *(" ".join(format_cell(c) for c in row["cells"] if c["round"] == n) for n in rounds),
            row["values"][score],
        )
        for number, row in enumerate(answer["rows"], 1)
    ]
    header = ["", "name", *(str(n) for n in rounds), score]
    print_answer(answer, as_json, f"{answer['name']}\n{format_table(header, rows)}")


def format_cell(cell: dict[str, Any]) -> str:
    """A player's round in a few characters: `12f1` is a win as first side against row 12."""
    points = "*" if cell["match_points"] is None else cell["match_points"]
    side = cell["side"][0] if cell["side"] else ""
    return f"{cell['row'] or '-'}{side}{points}"


@tournament.command(short_help="Show a player's rounds.")
@add_tournament_options
@click.argument("player")
def card(id: str, player: str, service: Client, as_json: bool) -> None:
    """Show all rounds of a player; PLAYER is an id."""
    answer = get_answer(service, f"/tournaments/{id}/players/{player}")
    header = ["round", "opponent", "side", "mark", "match_points", "game_points", "game"]
    rows = [
        (c["round"], c["opponent"] and shown_name(c["opponent"]), *(c[name] for name in header[2:]))
        for c in answer["cells"]
    ]
    head = f"{shown_name(answer['player'])}, place {answer['place']}"
    print_answer(answer, as_json, f"{head}\n{format_table(header, rows)}")


@tournament.command(short_help="List the players of a variant by rating.")
@click.argument("variant")
@click.option(
    "--speed", default=UNTIMED, help=f"The speed class: {', '.join(SPEED_CLASSES)} [{UNTIMED}]."
)
@add_shared_options
def ratings(variant: str, speed: str, service: Client, as_json: bool) -> None:
    """List a variant's players by their Glicko-2 rating after the last closed period.

    Each speed class has its own ratings.
    """
    answer = get_answer(service, "/ratings", variant=variant, speed=speed)
    rows = [
        (shown_name(i["player"]), f"{i['rating']:.0f}", f"{i['deviation']:.0f}", i["player"]["id"])
        for i in answer["items"]
    ]
    print_answer(answer, as_json, format_table(["name", "rating", "deviation", "id"], rows))
