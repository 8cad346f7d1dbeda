"""`movelog backup` and `movelog restore`."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.options import data_dir, settings_of, settings_with
from service.cli.progress import counting


@click.command(short_help="Back up a service, running or not.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_dir
def backup(file: Path, data_dir: str | None) -> None:
    """Write a backup of the service to FILE, which is replaced if it exists.

    Works beside a running service and without one. FILE is gzipped JSON, readable by its owner
    alone: it holds the service's key and the admin's token.
    """
    from service.operations.backup import back_up
    from service.operations.reach import reachable

    with reachable(settings_of(data_dir)) as settings, counting("stream") as show:
        streams = back_up(settings, file, show)
    click.echo(f"{streams} streams in {file}")


@click.command(short_help="Restore a backup into an empty service.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_dir
def restore(file: Path, data_dir: str | None) -> None:
    """Restore a backup into an empty service.

    The data directory is a new one and the service is not running; with MOVELOG_REDIS_URL, that
    Redis holds no games and every part of the service is stopped. A damaged FILE changes nothing.
    """
    from service.cli.rebuild import rebuild_with_progress
    from service.composition import compose
    from service.operations.archive import check
    from service.operations.reach import reachable
    from service.operations.restore import restore as put_back

    # Before there is a data directory: none is left behind for a file that is damaged.
    checked = check(file)
    with reachable(settings_with(data_dir=data_dir), alone=True) as settings:
        with counting("line") as show:
            streams = put_back(settings, file, show, checked)
        games = rebuild_with_progress(compose(settings))
    click.echo(f"{streams} streams restored, {games} games listed")
