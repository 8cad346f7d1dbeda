"""`movelog readers`: the readers of the feed, and which of them to wait for no longer."""

from __future__ import annotations

import json

import click

from service.cli.options import data_dir, load_existing_settings


@click.command(short_help="List the readers of the feed, or forget one.")
@click.option("--forget", metavar="NAME", help="Forget the reader with this name.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@data_dir
def readers(forget: str | None, as_json: bool, data_dir: str | None) -> None:
    """List the readers of the feed: how far behind they are, and when they were last heard of.

    `movelog archive` keeps in Redis whatever one of them has not read. Forget a reader that is
    gone, such as the lists of a machine that was removed. A reader that still runs comes back
    within ten seconds and misses nothing.
    """
    from service.composition.service import compose, now
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        service = compose(settings)
        if forget is not None and not service.feed_readers.forget(forget):
            raise click.ClickException(f"no reader has the name {forget!r}")
        ends = service.log.feed_positions()
        found = [
            {
                "name": reader.name,
                "where": reader.where,
                "heard_seconds_ago": max(0, now() - reader.at) // 1000,
                "behind_seconds": reader.find_lag(service.log, ends) // 1000,
            }
            for reader in service.feed_readers.list()
        ]
    if as_json:
        click.echo(json.dumps({"readers": found}))
        return
    for one in found:
        click.echo(
            f"{one['name']} on {one['where']}: {one['behind_seconds']} s behind,"
            f" last heard of {one['heard_seconds_ago']} s ago"
        )
    if not found:
        click.echo("no reader is registered, so the feed stays in Redis")
