"""`movelog tournament rule`: an arbiter's decision on a pairing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from service.cli.tournament.group import (
    add_tournament_options,
    print_answer,
    send_command,
    tournament,
)
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

UNCHANGED: Final = "nothing has changed: the same ruling was in force"


@tournament.command(short_help="Rule on a pairing.")
@add_tournament_options
@click.argument("round", type=int)
@click.argument("board", type=int)
@click.option(
    "--result",
    required=True,
    type=click.Choice(["1-0", "1/2-1/2", "0-1", "+/-", "-/+", "-/-", "none"]),
    help="Seen from the first side; + and - for an unplayed game; none lifts a ruling.",
)
@click.option("--reason", default="", help="Why, in one line; only a first result needs none.")
@click.option("--points", nargs=2, type=int, help="The game points of both sides.")
def rule(
    id: str, round: int, board: int, result: str, service: Client, as_json: bool, **given: Any
) -> None:
    """Decide the result of a pairing: its first one, a forfeit, an award, a correction.

    Prints the pairing as it counts now, and the command that shows what changed in the standings.
    """
    body: dict[str, Any] = {"type": "lift-ruling", "round": round, "board": board}
    body["reason"] = given["reason"]
    if result != "none":
        points = list(given["points"]) if given["points"] else None
        body |= {"type": "rule", "result": result, "points": points}
    before = service.get(f"/tournaments/{id}")["version"]
    answer = send_command(service, id, body)
    pairings = service.get(f"/tournaments/{id}/rounds/{round}")["pairings"]
    pairing = next(one for one in pairings if one["board"] == board)
    effect = describe_effect(answer) if answer["version"] > before else UNCHANGED
    print_answer(answer, as_json, f"{describe_ruling(pairing, given['reason'])}\n{effect}")


def describe_ruling(pairing: dict[str, Any], reason: str) -> str:
    """A ruled pairing on one line: its place, players, result and the reason."""
    sides = f"{shown_name(pairing['first'])} - {shown_name(pairing['second'])}"
    verdict = "ruled" if pairing["ruling"] else "ruling lifted"
    place = f"round {pairing['round']}, board {pairing['board']}"
    return f"{place}: {sides} {pairing['result']}, {verdict}" + (f": {reason}" if reason else "")


def describe_effect(answer: dict[str, Any]) -> str:
    """The command that shows what the ruling changed, compared with the version before it."""
    before = answer["version"] - 1
    command = f"movelog tournament diff {answer['id']} version:{before}"
    return f"the version before it was {before}; to see its effect: {command}"
