"""`movelog challenge`: make challenges, list and follow those of others, and answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import uuid4

import click

from service.cli.options import Command, add_player_options, add_service_options
from service.cli.queries.search import fetch_pages
from service.cli.tables import format_table
from service.cli.terms import format_terms
from service.player.names.name_policy import COMPUTER
from service.player.names.shown import shown_name
from service.projection.games.terms import SPEED_CLASSES

if TYPE_CHECKING:
    from service.cli.client import Client

ID: Final = 16
"""The number of characters of an id."""
PLAIN: Final = ("side", "time_control", "ply_limit", "infiltrators", "fen", "expires_in_seconds")
"""Options that are members of the request."""
ANSWERS: Final = {
    "accept": "Accept a challenge.",
    "decline": "Decline a challenge.",
    "withdraw": "Withdraw your own challenge.",
    "abort": "Call a game off before its first action.",
}
"""Commands on a game, and what they do."""


@click.group(short_help="Find an opponent.")
def challenge() -> None:
    """Find an opponent on a running service: make challenges, see those of others, answer them.

    \b
        movelog challenge make katruji --time-control 180+2
        movelog challenge make kerd --opponent "Ada Lovelace" --casual
        movelog challenge make kerak --computer 3
        movelog challenge list --speed blitz --follow
        movelog challenge accept ID
        movelog challenge rematch ID

    --json prints the service's answer as it is.
    """


def add_json_option(command: Command) -> Command:
    """Add --json; the command gets `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")(command)


@challenge.command(short_help="Make a challenge.")
@click.argument("variant")
@click.option("--opponent", help="A player's id or name [anyone].")
@click.option("--computer", type=int, help="The computer's level, in place of --opponent.")
@click.option("--side", help="Your side: first, second or random [random].")
@click.option("--time-control", help="The clocks: 180+2, 600+0+30(5), 1/259200 [none].")
@click.option(
    "--rated/--casual",
    default=None,
    help="Whether the game counts for ratings [rated; casual with --fen].",
)
@click.option("--ply-limit", type=int, help="The actions after which the game is drawn.")
@click.option("--draw-by-points", is_flag=True, help="A draw goes to the side with more points.")
@click.option(
    "--infiltrators", help="How infiltrators are handled: sealed, unknown, none [sealed]."
)
@click.option("--fen", help="The first position.")
@click.option("--private", is_flag=True, help="Hide the challenge from all lists.")
@click.option(
    "--expires-in-seconds",
    type=int,
    help="For how long it can be accepted [until it is withdrawn].",
)
@add_json_option
@add_player_options
def make(
    variant: str,
    opponent: str | None,
    computer: int | None,
    rated: bool | None,
    draw_by_points: bool,
    private: bool,
    as_json: bool,
    service: Client,
    **given: Any,
) -> None:
    """Challenge somebody, or anyone, to a game of VARIANT; prints its id and terms."""
    body: dict[str, Any] = {"variant": variant, "rated": rated}
    body |= {name: given[name] for name in PLAIN if given[name] is not None}
    if computer is not None:
        if opponent is not None:
            raise click.UsageError("either --opponent or --computer")
        opponent = f"{COMPUTER}{computer}"
    if opponent is not None:
        is_id = len(opponent) == ID and opponent.isascii() and opponent.isalnum()
        body["opponent" if is_id else "opponent_name"] = opponent
    if draw_by_points:
        body["draw_by_points"] = True
    if private:
        body["visibility"] = "private"
    print_challenge(service.post("/games", body, str(uuid4())), as_json)


@challenge.command(short_help="List the computer's levels.")
@add_json_option
@add_service_options
def computers(as_json: bool, service: Client) -> None:
    """List the computer's players, the weakest first: level, name, and how they search."""
    found = service.get("/computers")
    if as_json:
        click.echo(json.dumps(found))
        return
    header = ("level", "name", "nodes", "seconds", "error")
    click.echo(format_table(header, [[one[key] for key in header] for one in found["items"]]))


@challenge.command("list", short_help="List the challenges that anybody may accept.")
@click.option("--variant", help="The game: katruji, kerak, …")
@click.option("--speed", type=click.Choice(SPEED_CLASSES), help="The speed class.")
@click.option("--rated/--casual", default=None, help="Only rated games, or only casual ones.")
@click.option("--follow", is_flag=True, help="Keep listing challenges as they come and go.")
@click.option("--own", is_flag=True, help="Your own instead, made and received, private ones too.")
@add_json_option
@add_service_options
def list_(
    rated: bool | None, follow: bool, own: bool, as_json: bool, service: Client, **given: Any
) -> None:
    """List the open challenges, a line each: id, game, players and terms.

    With --follow, the list continues live, with a line `gone ID` for each challenge that was
    accepted or withdrawn, or has expired.
    """
    query = {name: value for name, value in given.items() if value is not None}
    if rated is not None:
        query["rated"] = str(rated).lower()
    if own and (query or follow):
        raise click.UsageError("--own takes no filters, and does not follow")
    if follow:
        follow_challenges(service, f"/challenges/stream?{urlencode(query)}", as_json)
        return
    path = "/me/challenges" if own else "/challenges"
    for one in fetch_pages(service, query, path):
        print_challenge(one, as_json)


@challenge.command(short_help="Ask for a rematch, or accept one.")
@click.argument("id")
@add_json_option
@add_player_options
def rematch(id: str, as_json: bool, service: Client) -> None:
    """Challenge the other player of the ended game ID again, or accept their challenge."""
    print_challenge(service.post(f"/games/{id}/rematch", {}, str(uuid4())), as_json)


def add_answer(type: str, help: str) -> None:
    """Add a command that sends a command to a game."""

    @challenge.command(type, help=f"{help} ID is the game's.", short_help=help)
    @click.argument("id")
    @add_json_option
    @add_player_options
    def answer(id: str, as_json: bool, service: Client) -> None:
        told = service.post(f"/games/{id}/commands", {"type": type}, str(uuid4()))
        click.echo(json.dumps(told) if as_json else f"{id} {told['game']['status']}")


for _type, _help in ANSWERS.items():
    add_answer(_type, _help)


def follow_challenges(service: Client, path: str, as_json: bool) -> None:
    """Print challenges, and those that are gone; what a stream repeats is printed once."""
    shown: set[str] = set()
    told: set[str] = set()
    for event, data in read_events(service, path):
        if event == "challenge":
            told.add(data["id"])
            if data["id"] not in shown:
                shown.add(data["id"])
                print_challenge(data, as_json)
        gone = {data["game"]} if event == "gone" else set()
        if event == "caught_up":
            # Challenges that went while there was no stream.
            gone = shown - told
            told.clear()
        for id in gone & shown:
            shown.remove(id)
            click.echo(json.dumps({"game": id}) if as_json else f"gone {id}")


def read_events(service: Client, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The named messages of a stream as they come; on a message `reconnect`, of a new stream."""
    event = "reconnect"
    while event == "reconnect":
        event = ""
        for line in service.stream_lines(path, "text/event-stream"):
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event != "reconnect":
                yield event, json.loads(value)


def print_challenge(game: dict[str, Any], as_json: bool) -> None:
    """Print a challenge as JSON, or on one line."""
    click.echo(json.dumps(game, ensure_ascii=False) if as_json else format_challenge(game))


def format_challenge(game: dict[str, Any]) -> str:
    """A challenge on one line: its id, the game, who sits where, the status and the terms."""
    seats = " - ".join(
        shown_name(game["players"][side]) if game["players"][side]["id"] else "anyone"
        for side in ("first", "second")
    )
    return f"{game['id']} {game['variant']} {seats} {game['status']}: {format_terms(game['terms'])}"
