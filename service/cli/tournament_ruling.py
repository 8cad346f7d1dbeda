"""`movelog tournament rule`: what an arbiter decides about a pairing."""

from __future__ import annotations

from typing import Any

import click

from service.cli.finding import client
from service.cli.tournament import on_tournament, order, show, tournament


@tournament.command(short_help="Rule on a pairing.")
@on_tournament
@click.argument("round", type=int)
@click.argument("board", type=int)
@click.option(
    "--result",
    required=True,
    type=click.Choice(["1-0", "1/2-1/2", "0-1", "+/-", "-/+", "-/-", "none"]),
    help="For the first side; + and - where nothing was played; none lifts a ruling.",
)
@click.option("--reason", required=True)
@click.option("--points", nargs=2, type=int, help="Game points of both sides.")
def rule(
    id: str,
    round: int,
    board: int,
    result: str,
    url: str | None,
    token: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Decide what a pairing's result is: forfeits, awards, corrections.

    Prints the pairing as it counts now, and how to see what that changes in the standings.
    """
    body: dict[str, Any] = {"type": "lift-ruling", "round": round, "board": board}
    body["reason"] = given["reason"]
    if result != "none":
        points = list(given["points"]) if given["points"] else None
        body |= {"type": "rule", "result": result, "points": points}
    answer = order(url, token, id, body)
    made = client(url, token).get(f"/tournaments/{id}/rounds/{round}")
    pairing = next(one for one in made["pairings"] if one["board"] == board)
    show(answer, as_json, ruled(answer, pairing, given["reason"]))


def ruled(answer: dict[str, Any], pairing: dict[str, Any], reason: str) -> str:
    """A ruling for people: the pairing, and the version of the tournament before it."""
    sides = f"{pairing['first']['name']} - {pairing['second']['name']}"
    verdict = "ruled" if pairing["ruling"] else "ruling lifted"
    before = answer["version"] - 1
    return (
        f"round {pairing['round']}, board {pairing['board']}: {sides} {pairing['result']}, "
        f"{verdict}: {reason}\n"
        f"version {before} was before it; its effect: "
        f"movelog tournament diff {answer['id']} version:{before}"
    )
