"""`movelog combat`: why a capture succeeds or fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlencode

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from notation.combat import CombatFields


@click.command()
@click.argument("fen", nargs=-1)
@click.argument("origin", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--game", metavar="ID", help="Ask a running service about its game ID, without FEN.")
@click.option("--ply", type=click.IntRange(0), help="With --game: as it stood after PLY actions.")
@click.option(
    "--url", help="The service [MOVELOG_URL; default: the one running here, or on the usual port]."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as the HTTP API has it.")
def combat(
    fen: tuple[str, ...],
    origin: str,
    target: str,
    game: str | None,
    ply: int | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Break a capture down, legal or not: who attacks and defends with what strength.

    FEN is a position string of a game whose captures need strength; FROM and TO are the spaces
    of the piece that captures and of its target. Prints what comes of it and, indented, what it
    would be from every other approach.

    \b
    Example:
      movelog combat "c4/6/7/8/4A4/4h3/3Ii2/6/4C r - 0-0 40" d4 e4
      movelog combat --game k3v5qg2xw7pfa4ze d4 e4
    """
    if bool(fen) == bool(game):
        raise click.UsageError("give either a FEN or --game")
    if ply is not None and not game:
        raise click.UsageError("--ply needs --game")
    asked = {"from": origin, "to": target} | ({} if ply is None else {"ply": str(ply)})
    found = ask(game, asked, url) if game else explain(" ".join(fen), origin, target)
    click.echo(json.dumps(found, indent=2) if as_json else "\n".join(lines(found)))


def explain(fen: str, origin: str, target: str) -> CombatFields:
    """The capture in a position; a usage error for what is no position or no space."""
    from notation.errors import BadFen, BadSquare
    from notation.registry import recognise_position

    try:
        written, position = recognise_position(fen)
        return written.combat(position, origin, target)
    except BadFen as error:
        raise click.BadParameter(error.reason, param_hint="FEN") from error
    except BadSquare as error:
        raise click.BadParameter(error.reason, param_hint=error.role.upper()) from error


def ask(game: str, asked: dict[str, str], url: str | None) -> CombatFields:
    """The capture in a service's game; click.ClickException where the service refuses."""
    from service.cli.client import Client
    from service.cli.play import usual_url

    client = Client(url or usual_url())
    return cast(
        "CombatFields", client.get(f"/games/{quote(game, safe='')}/combat?{urlencode(asked)}")
    )


def lines(combat: CombatFields) -> Iterator[str]:
    """A capture for people: what comes of it, then the assaults that this does not tell of."""
    verdict = "legal" if combat["legal"] else "illegal"
    yield f"{combat['from']}{combat['to']} is {verdict}: {combat['detail']}"
    for assault in combat["assaults"]:
        if assault["detail"] != combat["detail"]:
            yield f"  {assault['detail']}"
