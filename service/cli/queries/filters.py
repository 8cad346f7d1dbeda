"""The options by which `movelog search`, `export` and `explore` choose games."""

from __future__ import annotations

from typing import Any, Final

import click

from service.cli.options import Command

FILTERS: Final = {
    "variant": "The game: katruji, kerak, …",
    "player": "The id or the name of a player on either side.",
    "side": "The side of --player: first or second.",
    "opponent": "The id or the name of a player on the other side.",
    "mode": "How the game came about: import, challenge, …",
    "status": "finished, running, …",
    "result": "1-0, 0-1, 1/2-1/2 or *.",
    "termination": "How the game ended: resignation, agreement, …",
    "event": "The exact value of the tag Event.",
    "tag": "A tag with its exact value: Round:3.",
    "since": "The first day: 1999.12.31.",
    "until": "The last day.",
    "min-plies": "At least this many actions.",
    "max-plies": "At most this many actions.",
    "min-points": "At least this many points for the side with more.",
    "max-points": "At most this many points for the side with more.",
    "min-rating": "At least this mean rating of the players.",
    "max-rating": "At most this mean rating of the players.",
    "speed": "bullet, blitz, rapid, classical or correspondence.",
    "computer": "Whether a program played: true or false.",
    "opening": "The name or code of an opening, or the start of its name up to : or ,",
    "fen": "A position that occurred, or start; needs --variant.",
    "min-ply": "At least this many actions before --fen.",
    "max-ply": "At most this many actions before --fen.",
    "material": "The pieces on the board at some point (K2k); needs --variant.",
    "actions": "Actions in a row, in coordinate form (d1e3 a10b11); needs --variant.",
    "pieces": "Pieces on cells at the same time (Pd1 Sb2); needs --variant.",
}


def filter_options(command: Command, without: str | None = None) -> Command:
    """Add an option for each filter, or for all but one."""
    for name, help in reversed(FILTERS.items()):
        if name != without:
            command = click.option(f"--{name}", help=help)(command)
    return command


def read_filters(given: dict[str, Any]) -> dict[str, str]:
    """The query parameters for the given options."""
    return {name: str(value) for name, value in given.items() if value is not None}
