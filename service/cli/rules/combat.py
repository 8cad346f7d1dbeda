"""`movelog combat`: explain why a capture succeeds or fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlencode

import click

from service.cli.options import url_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from notation.combat import CombatFields


@click.command(short_help="Explain why a capture succeeds or fails.")
@click.argument("fen", nargs=-1)
@click.argument("origin", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--game", metavar="ID", help="Ask a running service about this game, instead of giving a FEN."
)
@click.option("--ply", type=click.IntRange(0), help="With --game: the position after PLY actions.")
@url_option
@click.option("--json", "as_json", is_flag=True, help="Print the HTTP API's JSON.")
def combat(
    fen: tuple[str, ...],
    origin: str,
    target: str,
    game: str | None,
    ply: int | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Explain a capture, legal or not: who attacks and defends, and with what strength.

    FEN is a position of a game whose captures need strength; FROM and TO are the squares of the
    capturing piece and its target. Prints the result and, indented, the result from every other
    approach.

    \b
    Example:
      movelog combat "c4/6/7/8/4A4/4h3/3Ii2/6/4C r - 0-0 40" d4 e4
      movelog combat --game k3v5qg2xw7pfa4ze d4 e4
    """
    if bool(fen) == bool(game):
        raise click.UsageError("give either a FEN or --game")
    if ply is not None and not game:
        raise click.UsageError("--ply needs --game")
    query = {"from": origin, "to": target} | ({} if ply is None else {"ply": str(ply)})
    combat = (
        ask_service(game, query, url) if game else explain_capture(" ".join(fen), origin, target)
    )
    click.echo(json.dumps(combat, indent=2) if as_json else "\n".join(describe_combat(combat)))


def explain_capture(fen: str, origin: str, target: str) -> CombatFields:
    """The capture in a position; raises click.BadParameter for a bad position or space."""
    from notation.errors import BadFen, BadSquare
    from notation.registry import recognise_position

    try:
        written, position = recognise_position(fen)
        return written.combat(position, origin, target)
    except BadFen as error:
        raise click.BadParameter(error.reason, param_hint="FEN") from error
    except BadSquare as error:
        raise click.BadParameter(error.reason, param_hint=error.role.upper()) from error


def ask_service(game: str, query: dict[str, str], url: str | None) -> CombatFields:
    """The capture in a service's game; raises Refused."""
    from service.cli.client import Client, default_url

    client = Client(url or default_url())
    return cast(
        "CombatFields", client.get(f"/games/{quote(game, safe='')}/combat?{urlencode(query)}")
    )


def describe_combat(combat: CombatFields) -> Iterator[str]:
    """A capture as text: its verdict, then the other assaults, indented."""
    verdict = "legal" if combat["legal"] else "illegal"
    yield f"{combat['from']}{combat['to']} is {verdict}: {combat['detail']}"
    for assault in combat["assaults"]:
        if assault["detail"] != combat["detail"]:
            yield f"  {assault['detail']}"
