"""`movelog token`: replace the admin token, given access to the data directory."""

from __future__ import annotations

import click

from service.cli.options import data_dir, load_existing_settings


@click.command(short_help="Replace a lost admin token.")
@click.option("--keep-old", is_flag=True, help="Keep the admin's other tokens valid.")
@data_dir
def token(keep_old: bool, data_dir: str | None) -> None:
    """Write a new admin token to admin.token in the data directory, and revoke the old ones.

    Use it when the token was lost. The service may be running or stopped.
    """
    from service.composition.service import compose
    from service.operations.admin import replace_admin_token
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir, first_start=True)) as settings:
        replace_admin_token(compose(settings), keep_old=keep_old)
    click.echo(settings.admin_token_file)
