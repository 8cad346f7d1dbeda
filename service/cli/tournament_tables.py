"""`movelog tournament standings` and its like: how a tournament stands, as tables."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import click

from service.cli.finding import client
from service.cli.tables import table
from service.cli.tournament import on_service, on_tournament, show, tournament
from service.player.names.shown import shown_name
from service.tournament.standings.term import Term

as_of = click.option("--as-of", help="A round, round:N, version:N or a time [now].")


def asked(url: str | None, token: str | None, path: str, **given: str | None) -> dict[str, Any]:
    """The answer to what is asked of a tournament."""
    said = {name: value for name, value in given.items() if value is not None}
    return client(url, token).get(f"{path}?{urlencode(said)}" if said else path)


@tournament.command(short_help="Who stands where.")
@on_tournament
@as_of
def standings(
    id: str, as_of: str | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """Who stands where, now or at an earlier moment."""
    answer = asked(url, token, f"/tournaments/{id}/standings", as_of=as_of)
    rows = [
        (one["place"], shown_name(one["player"]), *one["values"].values())
        for one in answer["standings"]
    ]
    head = f"{answer['name']}, after round {answer['round']}"
    show(answer, as_json, f"{head}\n{table(['place', 'name', *answer['order']], rows)}")


@tournament.command(short_help="What changed in the standings.")
@on_tournament
@click.argument("since")
@click.option("--to", help="A later moment [now].")
def diff(
    id: str, since: str, to: str | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """Who stands differently than at SINCE: round:N, version:N or a time.

    round:N takes the first N rounds with their results as they count today, so that a correction
    shows on neither side. To see what a correction changed, give the version before it:
    version:N as `rule` has printed it.
    """
    path = f"/tournaments/{id}/standings/diff"
    answer = asked(url, token, path, **{"from": since, "to": to})

    def side(standing: dict[str, Any] | None) -> str:
        if standing is None:
            return "-"
        return f"{standing['place']} ({', '.join(standing['values'].values())})"

    rows = [
        (shown_name(c["player"]), side(c["before"]), side(c["after"])) for c in answer["changes"]
    ]
    same = f"nobody stands differently than at {since}"
    if not since.startswith("version:"):
        same += "; the effect of a correction is seen from the version before it: version:N"
    show(answer, as_json, table(["name", "before", "after"], rows) if rows else same)


@tournament.command(
    short_help="Where a number comes from.",
    help=f"""Where a player's number comes from: which games, which rule, which number each.

    PLAYER is an id, TERM one of {", ".join(Term)}.
    """,
)
@on_tournament
@click.argument("player")
@click.argument("term", metavar="TERM", type=click.Choice(list(map(str, Term))))
@as_of
def explain(
    id: str,
    player: str,
    term: str,
    as_of: str | None,
    url: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Where a player's number comes from: which games, which rule, which number each."""
    path = f"/tournaments/{id}/standings/explain"
    answer = asked(url, token, path, player=player, term=term, as_of=as_of)
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
    show(answer, as_json, f"{head}\n{table(header, rows)}")


@tournament.command(name="cross-table", short_help="What every round was to everybody.")
@on_tournament
@as_of
def cross_table(
    id: str, as_of: str | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """The cross table: the opponent's row, f or s for the side, the points.

    A bye has `-` for the opponent, a game that is on `*` for the points.
    """
    answer = asked(url, token, f"/tournaments/{id}/cross-table", as_of=as_of)
    rounds = range(1, answer["round"] + 1)
    score = answer["order"][0]
    rows = [
        (
            number,
            shown_name(row["player"]),
            *(" ".join(cell(c) for c in row["cells"] if c["round"] == n) for n in rounds),
            row["values"][score],
        )
        for number, row in enumerate(answer["rows"], 1)
    ]
    header = ["", "name", *(str(n) for n in rounds), score]
    show(answer, as_json, f"{answer['name']}\n{table(header, rows)}")


def cell(one: dict[str, Any]) -> str:
    """A round of a player in a few characters."""
    points = "*" if one["match_points"] is None else one["match_points"]
    side = one["side"][0] if one["side"] else ""
    return f"{one['row'] or '-'}{side}{points}"


@tournament.command(short_help="A player's card.")
@on_tournament
@click.argument("player")
def card(id: str, player: str, url: str | None, token: str | None, as_json: bool) -> None:
    """Every round of a player; PLAYER is an id."""
    answer = asked(url, token, f"/tournaments/{id}/players/{player}")
    header = ["round", "opponent", "side", "mark", "match_points", "game_points", "game"]
    rows = [
        (c["round"], c["opponent"] and shown_name(c["opponent"]), *(c[name] for name in header[2:]))
        for c in answer["cells"]
    ]
    head = f"{shown_name(answer['player'])}, place {answer['place']}"
    show(answer, as_json, f"{head}\n{table(header, rows)}")


@tournament.command(short_help="The players of a variant by rating.")
@click.argument("variant")
@on_service
def ratings(variant: str, url: str | None, token: str | None, as_json: bool) -> None:
    """The players of a variant by their Glicko-2 rating after the last closed period."""
    answer = asked(url, token, "/ratings", variant=variant)
    rows = [
        (shown_name(i["player"]), f"{i['rating']:.0f}", f"{i['deviation']:.0f}", i["player"]["id"])
        for i in answer["items"]
    ]
    show(answer, as_json, table(["name", "rating", "deviation", "id"], rows))
