"""`movelog serve`: everything on this machine."""

from __future__ import annotations

from contextlib import suppress

import click

from service.cli.options import data_dir, settings_with
from service.settings import Settings


@click.command(short_help="Run the whole service on this machine.")
@click.option("--host", help="The address to listen on [MOVELOG_HOST; default: 127.0.0.1].")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port to listen on; 0 takes a free one [MOVELOG_PORT; default: 8320].",
)
@data_dir
def serve(host: str | None, port: int | None, data_dir: str | None) -> None:
    """Run the whole service: Redis, web, projector and workers, restarted when they die.

    Unless MOVELOG_REDIS_URL names another, a Redis of its own keeps the log in the data
    directory. The first start makes that directory and writes an admin's token into it. Stops
    on Ctrl-C and SIGTERM.
    """
    from service.operations.serving import serve as run

    settings = settings_with(host=host, port=port, data_dir=data_dir)
    run(settings, welcome, say)


def say(line: str) -> None:
    """Tell the operator something; a disk without room for it must not end the service."""
    with suppress(OSError):
        click.echo(f"movelog: {line}", err=True)


def welcome(settings: Settings, address: str) -> None:
    """Say where the service is and how to begin."""
    token = settings.admin_token_file
    lines = [
        f"Movelog is at {address}, its API is explained at {address}/docs",
        "Ctrl-C stops it.",
        "",
    ]
    if token.exists():
        lines += [
            f"The admin's token is in {token}. A player of your own and their token:",
            f"  curl -X POST {address}/api/v1/players \\",
            f'    -H "Authorization: Bearer $(cat {token})" \\',
            "    -H 'Content-Type: application/json' -d '{\"name\": \"Ada\"}'",
        ]
    else:
        lines += ["The admin's token was taken away; `movelog token` makes a new one."]
    click.echo("\n".join(lines))
