"""`movelog archive`: old games out of Redis, and what is archived."""

from __future__ import annotations

import json

import click

from service.cli.options import data_dir, load_existing_settings
from service.cli.progress import show_progress

DAY = 24 * 3600 * 1000


@click.command(short_help="Move old games out of Redis.")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(min=0),
    default=30,
    show_default=True,
    metavar="DAYS",
    help="Archive finished games that nobody has touched for so many days.",
)
@click.option(
    "--make-directory",
    is_flag=True,
    help="Archive nothing, but make the directory again from the object store.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@data_dir
def archive(days: int, make_directory: bool, as_json: bool, data_dir: str | None) -> None:
    """Move finished games that nobody has touched for long from Redis into the object store.

    They are read as before, and come back by themselves when somebody changes them. A game leaves
    Redis only when it was read back from the object store. The service may be running or stopped;
    if interrupted, run it again.
    """
    from service.composition.service import compose, now
    from service.operations.archiving import archive_games
    from service.operations.archiving import make_directory as make
    from service.operations.reachable_store import reach_store

    unit = "segment" if make_directory else "game"
    with reach_store(load_existing_settings(data_dir)) as settings, show_progress(unit) as show:
        service = compose(settings)
        if make_directory:
            made = make(service, show)
            told, sentence = {"segments": made}, f"{made} segments in the directory"
        else:
            done = archive_games(service, now() - days * DAY, show)
            told = {"archived": done.streams, "skipped": done.skipped, "bytes": done.bytes}
            sentence = f"{done.streams} games archived in {done.bytes} bytes"
            if done.skipped:
                sentence += f", {done.skipped} left in Redis: they are in use"
    click.echo(json.dumps(told) if as_json else sentence)
