"""`movelog annotate`: write, list and remove annotations of a game, and say who may write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import click

from notation.record import SUFFIXES
from service.cli.options import Command, add_player_options, add_service_options
from service.player.names.shown import shown_name

if TYPE_CHECKING:
    from service.cli.client import Client

ID: Final = 16
"""The number of characters of an id."""
PARTS: Final = ("comments_before", "comments", "nags", "variations")


@click.group(short_help="Annotate a game.")
def annotate() -> None:
    """Write comments, glyphs and variations beside the actions of a game on a running service.

    \b
        movelog annotate write GAME 12 --comment "too slow" --nag '?!' --variation "Oc6 {so}"
        movelog annotate list GAME
        movelog annotate remove GAME 12
        movelog annotate admit GAME "Ada Lovelace"

    GAME is the game's id; an action is given by its number, counted from 1.
    --json prints the service's answer as it is.
    """


def add_json_option(command: Command) -> Command:
    """Add --json; the command gets `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")(command)


@annotate.command(short_help="Annotate an action.")
@click.argument("game")
@click.argument("ply", type=click.IntRange(1))
@click.option("--comment", "comments", multiple=True, help="A comment after the action.")
@click.option("--before", "comments_before", multiple=True, help="A comment before the action.")
@click.option("--nag", "nags", multiple=True, help="A glyph: ! ? !! ?? !? ?! or its number.")
@click.option("--variation", "variations", multiple=True, help="A variation instead, as movetext.")
@add_json_option
@add_player_options
def write(game: str, ply: int, as_json: bool, service: Client, **given: Any) -> None:
    """Annotate action PLY of GAME. Each option may be repeated.

    What is given replaces what stood in its place; the other parts of the annotation stay. If
    somebody else changes the game at the same time, nothing is written.
    """
    parts: dict[str, list[Any]] = {name: list(some) for name, some in given.items() if some}
    if not parts:
        raise click.UsageError("nothing to write: give a comment, a nag or a variation")
    if "nags" in parts:
        parts["nags"] = [parse_nag(sign) for sign in parts["nags"]]
    view = service.get(f"/games/{game}")
    send_annotation(service, game, ply, find_annotation(view, ply) | parts, view, as_json)


@annotate.command(short_help="Remove an annotation.")
@click.argument("game")
@click.argument("ply", type=click.IntRange(1))
@add_json_option
@add_player_options
def remove(game: str, ply: int, as_json: bool, service: Client) -> None:
    """Remove the whole annotation of action PLY of GAME; its clock times stay."""
    view = service.get(f"/games/{game}")
    send_annotation(service, game, ply, {"variations": []}, view, as_json)


@annotate.command("list", short_help="List the annotations of a game.")
@click.argument("game")
@add_json_option
@add_service_options
def list_(game: str, as_json: bool, service: Client) -> None:
    """List the annotated actions of GAME, and who was admitted to annotate it."""
    view = service.get(f"/games/{game}")
    annotated = [one for one in view["actions"] if any(one.get(part) for part in PARTS)]
    if as_json:
        told = {"annotators": view["annotators"], "actions": annotated}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    for one in annotated:
        for line in format_action(one):
            click.echo(line)
    if view["annotators"]:
        click.echo(f"annotators: {', '.join(map(shown_name, view['annotators']))}")


def add_change(type: str, name: str, help: str) -> None:
    """Add a command about the players who may annotate a game."""

    @annotate.command(name, help=f"{help} PLAYER is an id or a name.", short_help=help)
    @click.argument("game")
    @click.argument("player")
    @add_json_option
    @add_player_options
    def change(game: str, player: str, as_json: bool, service: Client) -> None:
        is_id = len(player) == ID and player.isascii() and player.isalnum() and player.islower()
        body = {"type": type, "player" if is_id else "player_name": player}
        told = service.post(f"/games/{game}/commands", body, str(uuid4()))
        click.echo(json.dumps(told) if as_json else f"{game} version {told['version']}")


add_change("admit-annotator", "admit", "Let a player annotate a game of yours.")
add_change("withdraw-annotator", "withdraw", "Let a player annotate it no longer.")


def parse_nag(sign: str) -> int:
    """The number of a glyph; raises UsageError for a text that is not one."""
    number = sign.removeprefix("$")
    if sign in SUFFIXES:
        return SUFFIXES[sign]
    if not (number.isascii() and number.isdecimal()):
        raise click.UsageError(f"--nag {sign}: one of {' '.join(SUFFIXES)}, or a number")
    return int(number)


def find_annotation(view: dict[str, Any], ply: int) -> dict[str, Any]:
    """The parts of an action's annotation; empty if the action was not played."""
    action = view["actions"][ply - 1] if ply <= len(view["actions"]) else {}
    return {part: action[part] for part in PARTS if part in action}


def send_annotation(
    service: Client,
    game: str,
    ply: int,
    parts: dict[str, Any],
    view: dict[str, Any],
    as_json: bool,
) -> None:
    """Replace an action's annotation, if the game has not changed since `view`."""
    annotation = dict(parts)
    variations = annotation.pop("variations", None)
    body = {
        "type": "annotate",
        "ply": ply,
        "annotation": annotation,
        "variations": variations,
        "expected_version": view["version"],
    }
    told = service.post(f"/games/{game}/commands", body, str(uuid4()))
    click.echo(json.dumps(told) if as_json else f"{game} version {told['version']}")


def format_action(action: dict[str, Any]) -> list[str]:
    """An annotated action on one line, and each of its variations on a separate line."""
    signs = {nag: sign for sign, nag in SUFFIXES.items()}
    glyphs = "".join(signs.get(nag, f" ${nag}") for nag in action.get("nags", ()))
    dots = "." if action["side"] == "first" else "..."
    before = [f"{{{text}}}" for text in action.get("comments_before", ())]
    after = [f"{{{text}}}" for text in action.get("comments", ())]
    words = [str(action["ply"]), *before, f"{action['number']}{dots} {action['san']}{glyphs}"]
    return [" ".join([*words, *after]), *(f"    ({line})" for line in action.get("variations", ()))]
