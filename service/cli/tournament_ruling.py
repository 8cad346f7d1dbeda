"""`movelog tournament rule`: what an arbiter decides about a pairing."""

from __future__ import annotations

from typing import Any, Final

import click

from service.cli.finding import client
from service.cli.tournament import on_tournament, order, show, tournament
from service.player.names.shown import shown_name

UNCHANGED: Final = "nothing has changed: it was ruled so before"


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

    Prints the pairing as it counts now, and how to see what that changed in the standings.
    """
    body: dict[str, Any] = {"type": "lift-ruling", "round": round, "board": board}
    body["reason"] = given["reason"]
    if result != "none":
        points = list(given["points"]) if given["points"] else None
        body |= {"type": "rule", "result": result, "points": points}
    connection = client(url, token)
    before = connection.get(f"/tournaments/{id}")["version"]
    answer = order(url, token, id, body)
    made = connection.get(f"/tournaments/{id}/rounds/{round}")
    pairing = next(one for one in made["pairings"] if one["board"] == board)
    effect = effect_of(answer) if answer["version"] > before else UNCHANGED
    show(answer, as_json, f"{ruled(pairing, given['reason'])}\n{effect}")


def ruled(pairing: dict[str, Any], reason: str) -> str:
    """A pairing as it was ruled, for people."""
    sides = f"{shown_name(pairing['first'])} - {shown_name(pairing['second'])}"
    verdict = "ruled" if pairing["ruling"] else "ruling lifted"
    place = f"round {pairing['round']}, board {pairing['board']}"
    return f"{place}: {sides} {pairing['result']}, {verdict}: {reason}"


def effect_of(answer: dict[str, Any]) -> str:
    """How to see what a ruling changed: from the version before it."""
    before = answer["version"] - 1
    seen = f"movelog tournament diff {answer['id']} version:{before}"
    return f"version {before} was before it; its effect: {seen}"
