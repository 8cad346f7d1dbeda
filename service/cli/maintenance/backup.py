"""`movelog backup` and `restore`: a service into a file or a place for backups, and back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.options import data_dir, load_existing_settings, make_settings
from service.cli.progress import show_progress
from service.cli.tables import format_table

if TYPE_CHECKING:
    from service.operations.backup_errors import DamagedBackup
    from service.operations.backup_file import Line
    from service.operations.restored_cold import RestoredColdPart

MIB = 1 << 20


@click.command(short_help="Back up a service, running or not.")
@click.argument("target", metavar="FILE|PLACE")
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="In a place: afterwards keep only the newest N backups, and the objects they need. While"
    " a backup there is damaged, the new one is made but none is removed (exit status 1).",
)
@click.option("--list", "is_list", is_flag=True, help="List the backups of a place instead.")
@click.option(
    "--verify",
    "is_check",
    is_flag=True,
    help="Make no backup; read the existing ones and recompute their digests. What is damaged in a"
    " place is named, and copied again by the next backup.",
)
@data_dir
def backup(
    target: str, keep: int | None, is_list: bool, is_check: bool, data_dir: str | None
) -> int:
    """Write a backup of the service to FILE, or into a PLACE that has earlier ones.

    FILE is gzipped JSON with everything that the service has; an existing one is replaced. A PLACE
    is a folder that exists or whose name ends with a slash, or s3://BUCKET/PREFIX: archived games
    and uploads are copied there once, and later backups copy only what is new. The service may be
    running or stopped. Only their owner can read the backups: they hold the service's keys and the
    admin's token.
    """
    from service.operations.backup_place import find_url

    url = find_url(target)
    if (is_list or is_check) and (keep is not None or (is_list and is_check)):
        raise click.UsageError("--keep, --list and --verify exclude each other")
    if url is None and (is_list or keep is not None):
        raise click.UsageError(f"{target} is not a folder: --keep and --list are for places")
    if is_check:
        return verify_file(Path(target)) if url is None else verify_place(url)
    if is_list:
        list_backups(url or "")
    elif url is None:
        write_file(Path(target), data_dir)
    else:
        write_into_place(url, keep, data_dir)
    return 0


def write_file(file: Path, data_dir: str | None) -> None:
    """Back up into a file."""
    from service.operations.backup import back_up
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings, show_progress("stream") as show:
        streams = back_up(settings, file, show)
    click.echo(f"{streams} streams in {file}")


def write_into_place(url: str, keep: int | None, data_dir: str | None) -> None:
    """Back up into a place."""
    from service.operations.backup_place import BackupPlace
    from service.operations.place_backup import back_up_into
    from service.operations.reachable_store import reach_store

    place = BackupPlace(url)
    with reach_store(load_existing_settings(data_dir)) as settings, show_progress("stream") as show:
        made, (backups, objects, size) = back_up_into(settings, place, show, keep)
    new = f"{made.new_bytes / MIB:.1f} of {made.bytes / MIB:.1f} MiB copied"
    click.echo(f"{made.streams} streams in backup {made.name}: {new}")
    if backups or objects:
        click.echo(f"removed: {backups} backups, {objects} objects, {size / MIB:.1f} MiB")
    report_damage(place.read_records().damaged)


def list_backups(url: str) -> None:
    """Print the backups of a place as a table, the oldest first."""
    from service.operations.backup_place import BackupPlace

    backups, damaged = BackupPlace(url).read_records()
    rows = [
        (b.name, b.made_at, b.streams, f"{b.bytes / MIB:.1f}", f"{b.new_bytes / MIB:.1f}")
        for b in backups
    ]
    click.echo(format_table(("backup", "made at", "streams", "MiB", "new MiB"), rows))
    report_damage(damaged)


def verify_file(file: Path) -> int:
    """Read a backup file; returns the exit status."""
    from service.operations.backup_file import check

    lines = check(file)[1]
    click.echo(f"{file} is whole: {lines} lines")
    return 0


def verify_place(url: str) -> int:
    """Read all backups of a place, and mark what is damaged; returns the exit status."""
    from service.operations.backup_place import BackupPlace

    place = BackupPlace(url)
    with show_progress("object") as show:
        backups, unreadable = place.read_records()
        objects, damaged = place.verify(backups, show)
    if not unreadable and not damaged:
        click.echo(f"{len(backups)} backups are whole: {objects} objects")
        return 0
    report_damage([*unreadable, *damaged.values()])
    names = [error.path.stem for error in unreadable]
    names += [backup.name for backup in backups if place.is_damaged(backup, damaged)]
    count = f"{len(names)} of {len(backups) + len(unreadable)} backups"
    click.echo(f"{count} cannot be restored: {', '.join(sorted(names))}", err=True)
    if damaged:
        place.mark_damaged(damaged)
        click.echo(
            "the next movelog backup copies these objects again, if the service still has them",
            err=True,
        )
    return 1


def report_damage(damaged: Iterable[DamagedBackup]) -> None:
    """Print what is damaged in a place, on standard error."""
    for error in damaged:
        click.echo(f"damaged: {error.path}: {error.reason}", err=True)


@click.command(short_help="Restore a backup into an empty service.")
@click.argument("source", metavar="FILE|PLACE")
@click.option(
    "--backup", "name", metavar="NAME", help="From a place, this backup instead of the newest."
)
@click.option(
    "--own-objects",
    is_flag=True,
    help="Restore into the object store, or over the lists in PostgreSQL, of a service that no"
    " longer exists; otherwise those of another service are refused.",
)
@data_dir
def restore(source: str, name: str | None, own_objects: bool, data_dir: str | None) -> None:
    """Restore a backup, from FILE or the newest of a PLACE, into an empty service.

    The data directory must be new, or have the keys of the backup, and the service must be stopped;
    with MOVELOG_REDIS_URL, that Redis must hold no games. A damaged FILE changes nothing, nor does
    a PLACE from which something is missing. Of a PLACE, the newest backup whose record can be read
    is taken; damaged records are named. To try a restore beside the service that was backed up,
    name another data directory, MOVELOG_REDIS_URL, MOVELOG_DATABASE_URL and MOVELOG_OBJECTS_URL.
    """
    from service.cli.maintenance.rebuild import rebuild_with_progress
    from service.composition.service import compose
    from service.operations.reachable_store import reach_store
    from service.operations.restore import restore as put_back
    from service.operations.restore import tell_what_next

    with ExitStack() as open_files:
        # Checked first, so that a damaged file leaves no data directory behind.
        file, checked, cold = find_backup(source, name, open_files)
        with reach_store(make_settings(data_dir=data_dir), restoring=True) as settings:
            with show_progress("line") as show, tell_what_next():
                streams = put_back(settings, file, show, checked, cold, own_objects=own_objects)
            games = rebuild_with_progress(compose(settings))
    click.echo(f"{streams} streams restored, {games} games listed")


def find_backup(
    source: str, name: str | None, open_files: ExitStack
) -> tuple[Path, tuple[Line, int], RestoredColdPart | None]:
    """The file of a backup's lines, the result of checking it, and the rest of one in a place."""
    from service.operations.backup_file import PART, check
    from service.operations.backup_place import BackupPlace, find_url
    from service.operations.restored_cold import RestoredColdPart, fetch_log

    url = find_url(source)
    if url is None:
        if name is not None:
            raise click.UsageError(f"{source} is not a folder: --backup is for places")
        file = Path(source)
        return file, check(file), None
    place = BackupPlace(url)
    if name is None:
        report_damage(place.read_records().damaged)
    chosen = place.find(name)
    file = open_files.enter_context(fetch_log(place, chosen))
    return file, check(file, [PART]), RestoredColdPart(place, chosen)
