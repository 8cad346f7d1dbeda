"""What the commands that find games share: their options, and the service they ask."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from service.cli.options import settings_with
from service.ids import ID

if TYPE_CHECKING:
    from service.cli.client import Client

Command = TypeVar("Command", bound=Callable[..., Any])

FILTERS: Final = {
    "variant": "The game's kind: katruji, kerak, …",
    "player": "The id of a player of either side; movelog players finds it.",
    "status": "Where it stands: finished, running, …",
    "result": "1-0, 0-1, 1/2-1/2 or *.",
    "termination": "How it ended.",
    "event": "The tag Event, exactly.",
    "tag": "A tag and its exact value: Round:3.",
    "since": "The earliest day: 1999.12.31.",
    "until": "The latest day.",
    "min-plies": "At least so many actions.",
    "max-plies": "At most so many actions.",
    "min-points": "At least so many points of the side that has more.",
    "max-points": "At most so many points of the side that has more.",
    "fen": "A position that came up, or start; needs --variant.",
    "material": "What stood on the board at some time (K2k); needs --variant.",
}


def filters(command: Command) -> Command:
    """The options of a search."""
    for name, help in reversed(FILTERS.items()):
        command = click.option(f"--{name}", help=help)(command)
    return command


def service_options(command: Command) -> Command:
    """Where the service is and who asks."""
    command = click.option(
        "--token",
        help="A bearer token [MOVELOG_TOKEN; default: the admin's].",
    )(command)
    return click.option(
        "--url",
        help="The service [MOVELOG_URL; default: the one running here, or on the usual port].",
    )(command)


def client(url: str | None, token: str | None) -> Client:
    """A connection; without a token where none is at hand, since reading needs none."""
    from service.cli.client import Client
    from service.cli.play import usual_url

    return Client(url or usual_url(), token or token_at_hand())


def token_at_hand() -> str | None:
    """The token of the environment or of the data directory, if there is one."""
    if "MOVELOG_TOKEN" in os.environ:
        return os.environ["MOVELOG_TOKEN"]
    file: Path = settings_with().admin_token_file
    return file.read_text().strip() if file.exists() and os.access(file, os.R_OK) else None


def query(given: dict[str, Any]) -> dict[str, str]:
    """The parameters of the options that were given; a usage error for a player who is no id."""
    player = given.get("player")
    if player is not None and not ID.match(player):
        hint = "a player's id, which movelog players NAME finds"
        raise click.BadParameter(f"{player} is not {hint}", param_hint="--player")
    return {name: str(value) for name, value in given.items() if value is not None}
