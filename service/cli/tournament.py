"""`movelog tournament`: run a tournament on a running service, and see how it stands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlencode
from uuid import uuid4

import click

from service.cli.finding import client, service_options
from service.cli.tables import table
from service.player.names.shown import shown_name
from service.tournament.standings.term import Term

Command = TypeVar("Command", bound=Callable[..., Any])

POLL: Final = 0.1
"""Seconds between two looks at a round that is being made."""
PATIENCE: Final = 900.0
"""Seconds to wait for one at most; a thousand players take minutes."""


@click.group(short_help="Run tournaments, and see how they stand.")
def tournament() -> None:
    """Run a tournament on a running service, and see how it stands.

    \b
        movelog tournament create "Spring Open" katruji swiss --rounds 5
        movelog tournament enter ID --name Ada --rating 1850
        movelog tournament pair ID
        movelog tournament standings ID

    What changes a tournament needs a token of one of its arbiters. With --json the service's
    answer is printed as it is.
    """


def on_service(command: Command) -> Command:
    """The options of every command here."""
    json_option = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
    return json_option(service_options(command))


def on_tournament(command: Command) -> Command:
    """The same, with the tournament's id first."""
    return click.argument("id")(on_service(command))


def order(url: str | None, token: str | None, id: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a command on a tournament; what is None is not said."""
    said = {name: value for name, value in body.items() if value is not None}
    return client(url, token).post(f"/tournaments/{id}/commands", said, str(uuid4()))


def show(answer: dict[str, Any], as_json: bool, text: str) -> None:
    """Print an answer as JSON or as text."""
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else text)


def summary(answer: dict[str, Any]) -> str:
    """A tournament in a few lines."""
    head = f"{answer['id']} {answer['name']} ({answer['variant']}, {answer['kind']}): "
    head += f"{answer['status']}, version {answer['version']}, rounds {answer['rounds_ready']}"
    head += f" of {answer['rounds']}" if answer["rounds"] else ""
    head += ", the next is being paired" if answer["pairing"] else ""
    if refusal := answer["refusal"]:
        head += f"; round {refusal['round']} was refused: {refusal['detail']} ({refusal['code']})"
    players = answer["players"]
    if not players:
        return head
    rows = [
        (
            p["seed"],
            shown_name(p),
            p["rating"],
            p["id"],
            f"out from {p['withdrawn']}" if p["withdrawn"] else "",
        )
        for p in players
    ]
    return f"{head}\n{table(['seed', 'name', 'rating', 'id', ''], rows)}"


@tournament.command(short_help="Set a tournament up.")
@click.argument("name")
@click.argument("variant")
@click.argument("kind", type=click.Choice(["round-robin", "swiss", "knockout", "free"]))
@click.option("--rounds", type=int, help="How many a Swiss has.")
@click.option("--cycles", type=int, help="How often everybody meets everybody in a round robin.")
@click.option("--scoring", help="A known scheme: standard, three-points [standard].")
@click.option("--order", help=f"What ranks, terms parted by commas. The terms: {', '.join(Term)}.")
@click.option("--tag", "tags", multiple=True, help="A tag of all games: PlyLimit=200.")
@click.option("--infiltrators", help="How secret choices are dealt with: sealed, unknown, none.")
@click.option("--fen", help="The position that all games begin in.")
@click.option("--games", type=int, help="Games of a knockout's tie.")
@on_service
def create(
    name: str,
    variant: str,
    kind: str,
    url: str | None,
    token: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Set a tournament up; prints its id. You are its arbiter."""
    body: dict[str, Any] = {"name": name, "variant": variant, "kind": kind}
    body |= {
        k: given[k] for k in ("rounds", "cycles", "infiltrators", "fen") if given[k] is not None
    }
    if given["scoring"]:
        body["scoring"] = {"name": given["scoring"]}
    if given["order"]:
        body["order"] = given["order"].split(",")
    if given["games"]:
        body["knockout"] = {"games": given["games"]}
    body["tags"] = dict(pair(tag) for tag in given["tags"])
    answer = client(url, token).post("/tournaments", body, str(uuid4()))
    show(answer, as_json, answer["id"])


def pair(text: str) -> tuple[str, str]:
    """A name and its value; a usage error for anything else."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--tag {text}: expected NAME=VALUE")
    return name, value


@tournament.command("list", short_help="The tournaments there are.")
@click.option("--variant", help="The game's kind.")
@click.option("--status", help="open, running or finished.")
@on_service
def list_(url: str | None, token: str | None, as_json: bool, **given: str | None) -> None:
    """The newest tournaments."""
    asked = urlencode({name: value for name, value in given.items() if value is not None})
    answer = client(url, token).get(f"/tournaments?{asked}")
    names = ("id", "name", "variant", "kind", "status", "players", "rounds_ready")
    rows = [[one[name] for name in names] for one in answer["items"]]
    show(answer, as_json, table([*names[:-1], "rounds"], rows))


@tournament.command(name="show", short_help="What was agreed, and who plays.")
@on_tournament
def show_(id: str, url: str | None, token: str | None, as_json: bool) -> None:
    """A tournament and its players by seed."""
    answer = client(url, token).get(f"/tournaments/{id}")
    show(answer, as_json, summary(answer))


@tournament.command(short_help="Enter a player.")
@on_tournament
@click.option("--player", help="The id of a registered player.")
@click.option("--name", help="The name of a player known from records alone.")
@click.option("--rating", type=int)
@click.option("--seed", type=int, help="Place in the seeding; without, the rating decides.")
def enter(id: str, url: str | None, token: str | None, as_json: bool, **given: Any) -> None:
    """Enter a player, also late or again."""
    answer = order(url, token, id, {"type": "enter", **given})
    players = answer["players"]
    named = [p for p in players if given["player"] in (None, p["id"])]
    entered = [p for p in named if given["name"] in (None, p["name"])]
    lines = [f"{shown_name(p)} {p['id']}: seed {p['seed']} of {len(players)}" for p in entered]
    show(answer, as_json, "\n".join(lines))


@tournament.command(short_help="Pair a player no longer.")
@on_tournament
@click.argument("player")
def withdraw(id: str, player: str, url: str | None, token: str | None, as_json: bool) -> None:
    """Pair a player no longer; PLAYER is an id."""
    answer = order(url, token, id, {"type": "withdraw", "player": player})
    show(answer, as_json, summary(answer))


@tournament.command(short_help="Let a player sit a round out.")
@on_tournament
@click.argument("player")
@click.argument("round", type=int)
@click.argument("bye", type=click.Choice(["full", "half", "zero", "none"]))
def bye(
    id: str, player: str, round: int, bye: str, url: str | None, token: str | None, as_json: bool
) -> None:
    """Let a player sit a round of a Swiss out for a full, half or zero-point bye; none: not."""
    body: dict[str, Any] = {"type": "cancel-bye", "player": player, "round": round}
    if bye != "none":
        body |= {"type": "grant-bye", "bye": f"{bye}-bye"}
    answer = order(url, token, id, body)
    show(answer, as_json, summary(answer))


@tournament.command(name="pair", short_help="Pair the next round.")
@on_tournament
@click.option("--board", "boards", multiple=True, help="In free pairing: FIRST:SECOND, two ids.")
def pair_(
    id: str, boards: tuple[str, ...], url: str | None, token: str | None, as_json: bool
) -> None:
    """Pair the next round, wait until it is ready, and print it."""
    body: dict[str, Any] = {"type": "pair"}
    if boards:
        sides = [board.partition(":") for board in boards]
        body["boards"] = [{"first": first, "second": second} for first, _, second in sides]
    number = order(url, token, id, body)["number"]
    connection = client(url, token)
    deadline = time.monotonic() + PATIENCE
    while (made := connection.get(f"/tournaments/{id}/rounds/{number}"))["status"] == "pairing":
        if time.monotonic() > deadline:
            raise click.ClickException(f"round {number} is still being made")
        time.sleep(POLL)
    if made["status"] == "refused":
        raise click.ClickException(f"{made['refusal']['detail']} ({made['refusal']['code']})")
    show(made, as_json, round_text(made))


@tournament.command(short_help="Take a round back before it is played.")
@on_tournament
@click.argument("round", type=int)
@click.option("--reason", required=True)
def unpair(
    id: str, round: int, reason: str, url: str | None, token: str | None, as_json: bool
) -> None:
    """Take the last round back, in which nothing was played yet; its games are closed."""
    answer = order(url, token, id, {"type": "unpair", "round": round, "reason": reason})
    show(answer, as_json, summary(answer))


def round_text(made: dict[str, Any]) -> str:
    """A round as a table."""
    rows = [
        (
            one["board"],
            shown_name(one["first"]),
            one["result"],
            shown_name(one["second"]),
            one["game"],
        )
        for one in made["pairings"]
    ]
    rows += [("", shown_name(one["player"]), one["bye"], "", "") for one in made["byes"]]
    return f"Round {made['number']}, {made['status']}\n" + table(
        ["board", "first", "result", "second", "game"], rows
    )


@tournament.command(name="round", short_help="The pairings of a round.")
@on_tournament
@click.argument("number", type=int)
def round_(id: str, number: int, url: str | None, token: str | None, as_json: bool) -> None:
    """Who meets whom in a round, and how it ended."""
    answer = client(url, token).get(f"/tournaments/{id}/rounds/{number}")
    show(answer, as_json, round_text(answer))


@tournament.command(short_help="Let a finished game count.")
@on_tournament
@click.argument("game")
@click.argument("round", type=int)
def join(id: str, game: str, round: int, url: str | None, token: str | None, as_json: bool) -> None:
    """Let a finished game from elsewhere count, in ROUND."""
    answer = order(url, token, id, {"type": "join", "game": game, "round": round})
    show(answer, as_json, summary(answer))


@tournament.command(short_help="Let another arbiter rule, or no longer.")
@on_tournament
@click.argument("player")
@click.option("--dismiss", is_flag=True, help="No longer.")
def arbiter(
    id: str, player: str, dismiss: bool, url: str | None, token: str | None, as_json: bool
) -> None:
    """Appoint a player as an arbiter of the tournament, or dismiss one."""
    kind = "dismiss-arbiter" if dismiss else "appoint-arbiter"
    answer = order(url, token, id, {"type": kind, "player": player})
    show(answer, as_json, summary(answer))


@tournament.command(short_help="End the tournament.")
@on_tournament
def finish(id: str, url: str | None, token: str | None, as_json: bool) -> None:
    """End the tournament; results may still be corrected."""
    answer = order(url, token, id, {"type": "finish"})
    show(answer, as_json, summary(answer))
