"""`movelog prune`: remove the uploaded files of old imports."""

from __future__ import annotations

import json

import click

from service.cli.options import data_dir, load_existing_settings

DAY = 24 * 3600 * 1000


@click.command(short_help="Remove the uploaded files of old imports.")
@click.option(
    "--days",
    type=click.IntRange(min=0),
    required=True,
    help="Prune imports that ended more than this many days ago.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@data_dir
def prune(days: int, as_json: bool, data_dir: str | None) -> None:
    """Remove the uploaded files of imports that ended more than DAYS days ago.

    Nothing else ever removes them. The imported games and the verdicts stay, but the files can no
    longer be downloaded. The service may be running.
    """
    from service.composition.service import compose, now
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        files, size = compose(settings).imports.prune(now() - days * DAY)
    if as_json:
        click.echo(json.dumps({"files": files, "bytes": size}))
    else:
        click.echo(f"{files} files removed, {size} bytes")
