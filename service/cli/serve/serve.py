"""`movelog serve`: run the whole service on this machine."""

from __future__ import annotations

from contextlib import suppress

import click

from service.cli.options import data_dir, make_settings
from service.settings import Settings
from service.tracing.wishes import wants_traces


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

    Unless MOVELOG_REDIS_URL names one, the service runs its own Redis, which keeps the log in the
    data directory. The first start creates that directory and writes an admin token to it. Stop
    the service with Ctrl-C or SIGTERM.
    """
    from service.operations.serving import serve as run

    settings = make_settings(host=host, port=port, data_dir=data_dir)
    wants_traces()
    run(settings, print_welcome, report)


def report(line: str) -> None:
    """Print a line for the operator; a full disk must not end the service."""
    with suppress(OSError):
        click.echo(f"movelog: {line}", err=True)


def print_welcome(settings: Settings, address: str) -> None:
    """Print the service's address, and how to begin."""
    token = settings.admin_token_file
    lines = [
        f"Movelog is at {address}; its API is documented at {address}/docs",
        "Press Ctrl-C to stop it.",
        "",
    ]
    if token.exists():
        lines += [
            f"The admin's token is in {token}. To register a player and get a token:",
            f"  curl -X POST {address}/api/v1/players \\",
            f'    -H "Authorization: Bearer $(cat {token})" \\',
            "    -H 'Content-Type: application/json' -d '{\"name\": \"Ada\"}'",
        ]
    else:
        lines += ["There is no admin token; `movelog token` makes a new one."]
    click.echo("\n".join(lines))
