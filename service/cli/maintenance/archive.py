"""`movelog archive`: move old games out of Redis, and report what is archived."""

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
    help="Archive finished games that nobody has touched for this many days.",
)
@click.option(
    "--make-directory",
    is_flag=True,
    help="Archive nothing; rebuild the directory from the object store.",
)
@click.option(
    "--collect-after",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    metavar="DAYS",
    help="Remove files that no game and no feed has needed for this many days.",
)
@click.option(
    "--own-objects",
    is_flag=True,
    help="Archive nothing; let this service remove such files from now on, for example after a"
    " restore into the object store of a service that is gone.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@data_dir
def archive(
    days: int,
    make_directory: bool,
    collect_after: int,
    own_objects: bool,
    as_json: bool,
    data_dir: str | None,
) -> None:
    """Move finished games that nobody has touched for a long time from Redis into the object
    store.

    They can be read as before, and return by themselves when somebody changes them. A game leaves
    Redis only after it was read back from the object store. So do the feed's entries of that age
    that all its readers have read (movelog readers). Files that nothing needs any more are removed
    a week after that was first seen. The service may be running or stopped; if interrupted, run
    this again.
    """
    from service.archive.collector import Collector
    from service.archive.status import note_status
    from service.composition.service import compose, now
    from service.operations.archive_turn import describe_archive
    from service.operations.archiving import archive_games, collect_objects, trim_feeds
    from service.operations.archiving import make_directory as make
    from service.operations.reachable_store import reach_store

    unit = "segment" if make_directory else "game"
    with reach_store(load_existing_settings(data_dir)) as settings, show_progress(unit) as show:
        service = compose(settings)
        if own_objects:
            Collector(service.log.tier, service.log.archive, now).own()
            told, sentence = {"owned": 1}, "this service looks after the archive's files"
        elif make_directory:
            made = make(service, show)
            told, sentence = {"segments": made}, f"{count(made, 'segment')} in the directory"
        else:
            before = now() - days * DAY
            done = archive_games(service, before, show)
            trimmed = trim_feeds(service, before)
            collected = collect_objects(service, collect_after * DAY)
            note_status(service.store, describe_archive(service))
            told = {
                "archived": done.streams,
                "skipped": done.skipped,
                "bytes": done.bytes,
                "feed_entries": trimmed.pointers,
                "feed_bytes": trimmed.bytes,
                "removed_objects": collected.objects,
                "removed_bytes": collected.bytes,
            }
            sentence = f"{count(done.streams, 'game')} archived in {count(done.bytes, 'byte')}"
            if done.skipped:
                sentence += f", {done.skipped} left in Redis: in use"
            if trimmed.pointers:
                entries = "entry" if trimmed.pointers == 1 else "entries"
                sentence += f"; {trimmed.pointers} feed {entries} in {count(trimmed.bytes, 'byte')}"
            if collected.objects:
                files = f"{count(collected.objects, 'file')} of {count(collected.bytes, 'byte')}"
                sentence += f"; {files} removed, no longer needed"
    click.echo(json.dumps(told) if as_json else sentence)


def count(number: int, noun: str) -> str:
    """A number of things in English.

    >>> count(1, "segment"), count(2, "segment")
    ('1 segment', '2 segments')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
