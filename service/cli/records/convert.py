"""`movelog convert`: rewrite records in their canonical form, offline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from service.cli.progress import say
from service.cli.records.files import FILE, read_games

if TYPE_CHECKING:
    from engine.outcome import Outcome
    from notation.game import Game, Line

FORMATS: Final = ("pgn", "ndjson")


@click.command(short_help="Rewrite records in their canonical form.")
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--to", type=click.Choice(FORMATS), default=FORMATS[0], help="The output format [pgn]."
)
def convert(file: str, to: str) -> int:
    """Write the games of FILE to standard output in their canonical form.

    FILE may be packed by gzip or zstd, or - for standard input. `--to ndjson` writes a JSON object
    per line: variant, tags, result, and the moves in both forms with their annotations. Games that
    cannot be read are left out, and reported on standard error.

    Exit status 1 if any game was left out.
    """
    left_out = 0
    separator = ""
    for verdict in read_games(file):
        if verdict.error is not None:
            left_out += 1
            say(f"{file}: game {verdict.number}: {verdict.error}", error=True)
        elif to == "ndjson":
            click.echo(json.dumps(convert_game(verdict.game), ensure_ascii=False))
        else:
            from notation.writer import write

            click.echo(separator + write(verdict.game), nl=False)
            separator = "\n"
    return 1 if left_out else 0


def convert_game(game: Game) -> dict[str, Any]:
    """A record as JSON values."""
    from notation.judge import read_claim
    from notation.registry import find_dialect

    start = find_dialect(game.variant).start(game.tags)
    claim = read_claim(game.tags, game.result)
    return {
        "variant": game.variant,
        "result": game.result,
        "tags": dict(game.tags),
        "comments": list(game.comments),
        "moves": convert_line(game, game.moves, start, claim),
    }


def convert_line(
    game: Game, line: Line, position: Any, claim: Outcome | None = None
) -> list[dict[str, Any]]:
    """The moves of a line from `position` as JSON values, without empty fields.

    `claim` is the end that the record states after the last of them.
    """
    from notation.registry import find_dialect

    texts = find_dialect(game.variant)
    shown = []
    for number, move in enumerate(line, 1):
        claimed = claim if number == len(line) else None
        parts = {
            "action": texts.coordinate(move.action),
            "san": texts.san(position, move.action, claimed),
            "nags": list(move.nags),
            "comments_before": list(move.before),
            "comments": list(move.after),
            "variations": [
                convert_line(game, variation, position.copy()) for variation in move.variations
            ],
        }
        shown.append({name: value for name, value in parts.items() if value})
        position.play(move.action)
    return shown
