"""`movelog prune`: uploaded files that nobody needs any more."""

from __future__ import annotations

import json

import click

from service.cli.options import data_dir, settings_of

DAY = 24 * 3600 * 1000


@click.command(short_help="Remove the originals of old imports.")
@click.option(
    "--days",
    type=click.IntRange(min=0),
    required=True,
    help="How long ago an import must have ended.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one line of JSON.")
@data_dir
def prune(days: int, as_json: bool, data_dir: str | None) -> None:
    """Remove the uploaded files of imports that ended more than so many days ago.

    Nothing else ever removes them. The games that came of them stay, and so do the verdicts;
    only the files as they came can no longer be had back. Works beside a running service.
    """
    from service.composition import compose, now
    from service.operations.reach import reachable

    with reachable(settings_of(data_dir)) as settings:
        files, size = compose(settings).imports.prune(now() - days * DAY)
    if as_json:
        click.echo(json.dumps({"files": files, "bytes": size}))
    else:
        click.echo(f"{files} files removed, {size} bytes")
