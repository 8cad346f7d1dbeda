"""`movelog backup` and `movelog restore`: a service into a file, and back."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.options import data_dir, load_existing_settings, make_settings
from service.cli.progress import show_progress


@click.command(short_help="Back up a service, running or not.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_dir
def backup(file: Path, data_dir: str | None) -> None:
    """Write a backup of the service to FILE, replacing an existing one.

    The service may be running or stopped. FILE is gzipped JSON that only its owner can read: it
    holds the service's keys and the admin's token.
    """
    from service.operations.backup import back_up
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings, show_progress("stream") as show:
        streams = back_up(settings, file, show)
    click.echo(f"{streams} streams in {file}")


@click.command(short_help="Restore a backup into an empty service.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_dir
def restore(file: Path, data_dir: str | None) -> None:
    """Restore a backup into an empty service.

    The data directory must be new and the service stopped; with MOVELOG_REDIS_URL, that Redis must
    hold no games. A damaged FILE changes nothing.
    """
    from service.cli.maintenance.rebuild import rebuild_with_progress
    from service.composition.service import compose
    from service.operations.backup_file import check
    from service.operations.reachable_store import reach_store
    from service.operations.restore import restore as put_back

    # Checked first, so that a damaged file leaves no data directory behind.
    checked = check(file)
    with reach_store(make_settings(data_dir=data_dir), restoring=True) as settings:
        with show_progress("line") as show:
            streams = put_back(settings, file, show, checked)
        games = rebuild_with_progress(compose(settings))
    click.echo(f"{streams} streams restored, {games} games listed")
