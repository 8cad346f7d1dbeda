"""Options that several commands share, and the settings made from them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from service.settings import Settings, read_settings

Command = TypeVar("Command", bound=Callable[..., Any])

data_dir = click.option(
    "--data-dir",
    # One that may not be read is refused with what to do.
    type=click.Path(file_okay=False, readable=False),
    help="Where the service keeps its data [MOVELOG_DATA_DIR; default: ./data].",
)

url_option = click.option(
    "--url", help="The service [MOVELOG_URL; default: the one running here, or on the usual port]."
)


def add_token_option(command: Command) -> Command:
    """Add --token, for commands that can do without a token."""
    default = "default: the admin's, for the service running here"
    return click.option("--token", help=f"A bearer token [MOVELOG_TOKEN; {default}].")(command)


def add_service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --url and --token; the command gets `service`, a Client made from them."""

    @wraps(command)
    def connected(*, url: str | None, token: str | None, **options: Any) -> Any:
        from service.cli.client import connect

        return command(service=connect(url, token), **options)

    return url_option(add_token_option(connected))


def add_player_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --url, --token and --token-file; the command gets `service`, a Client with a token.

    A usage error is raised if there is no token.
    """

    @wraps(command)
    def connected(
        *, url: str | None, token: str | None, token_file: Path | None, **options: Any
    ) -> Any:
        from service.cli.client import connect_as_player

        return command(service=connect_as_player(url, token, token_file), **options)

    token = click.option("--token", help="A bearer token with the scope play [MOVELOG_TOKEN].")
    file = click.option(
        "--token-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A file with the token [default: admin.token, for the service running here].",
    )
    return url_option(token(file(connected)))


def make_settings(**options: object) -> Settings:
    """The environment's settings, overridden by the given options.

    `data_dir=...` replaces MOVELOG_DATA_DIR and so on; None keeps the variable. Raises BadSetting.
    """
    given = {
        f"MOVELOG_{name.upper()}": str(value)
        for name, value in options.items()
        if value is not None
    }
    return read_settings({**os.environ, **given})


def load_existing_settings(data_dir: str | None, *, first_start: bool = False) -> Settings:
    """The settings of an existing service, for commands that must not create one.

    Raises BadSetting and UnusableDataDir; raises NoService if the data directory holds none of a
    service's files. This is not checked for an external Redis, which needs no `serve`, with
    `first_start` or if the keys are given.
    """
    from service.operations.data_dir import explain_refusals
    from service.operations.errors import NoService

    settings = make_settings(data_dir=data_dir)
    may_be_new = not settings.embedded_redis and (first_start or settings.given_keys is not None)
    with explain_refusals(settings.data_dir):
        if not may_be_new and not any(file.exists() for file in settings.kept_files):
            raise NoService(settings.data_dir)
    return settings
