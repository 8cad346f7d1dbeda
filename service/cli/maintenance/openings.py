"""`movelog openings`: the table of openings, by which finished games are named."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import click

from service.cli.options import data_dir, load_existing_settings

if TYPE_CHECKING:
    from service.composition.service import Service
    from service.openings.values import OpeningTable


@click.group(short_help="Load, list or clear the table of openings.")
def openings() -> None:
    """Load, list or clear the table of openings, by which finished games are named.

    The service may be running or stopped. The table is in the log, so that every backup has it.
    """


@openings.command()
@click.argument("file", type=click.File("rb"))
@data_dir
def load(file: IO[bytes], data_dir: str | None) -> None:
    """Load a table of openings from FILE (- for standard input); it replaces the one before.

    FILE is UTF-8, with tabs or commas between the columns, which its first line names: variant,
    name, actions, and code if openings have codes.

    \b
        variant  name                        actions       code
        kerd     King's Walk                 1. e3 Hd9     K1
        kerd     King's Walk: Early Ship     e3 Hd9 Ji3
        katruji  Dash                        c3d4          D1

    Actions are in SAN or coordinate form, from the variant's first position; move numbers are
    ignored. A name goes from the general to the particular, with colons or commas between: a
    search for `King's Walk` finds the games of both lines above. No name and no position may come
    twice in a variant. If any line is wrong, all wrong lines are listed and nothing is loaded.

    A finished game has the name of the last position it reached that the table names, in whatever
    order its actions were played. Games that are already listed are classified now; until that is
    done, readers see the names of the previous table.
    """
    from service.openings.errors import BadOpenings
    from service.openings.reading import LARGEST, read_openings
    from service.player.admins import OPERATOR

    try:
        read = read_openings(file.read(LARGEST + 1))
    except BadOpenings as error:
        for line in error.lines:
            click.echo(f"{file.name}: {line}", err=True)
        raise
    with open_service(data_dir) as service:
        table = service.openings.replace(read, OPERATOR)
        click.echo(f"{len(read)} openings loaded")
        games = classify_games(service, table)
        if games is not None:
            click.echo(f"{games} games classified")


@openings.command(name="list")
@data_dir
def list_(data_dir: str | None) -> None:
    """Print the table of openings, as `load` reads it."""
    with open_service(data_dir) as service:
        table = service.openings.load()
    write = csv.writer(sys.stdout, lineterminator="\n").writerow
    write(("variant", "name", "actions", "code"))
    for one in table.openings:
        write((one.variant, one.name, " ".join(one.actions), one.code or ""))


@openings.command()
@data_dir
def clear(data_dir: str | None) -> None:
    """Remove the table of openings; no game has an opening any more."""
    from service.player.admins import OPERATOR

    with open_service(data_dir) as service:
        table = service.openings.clear(OPERATOR)
        click.echo("the table of openings was removed")
        classify_games(service, table)


@contextmanager
def open_service(data_dir: str | None) -> Iterator[Service]:
    """The service of a data directory, whether it is running or not."""
    from service.composition.service import compose
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        yield compose(settings)


def classify_games(service: Service, table: OpeningTable) -> int | None:
    """Classify the listed games by a table that was just loaded, under a progress bar.

    Returns how many there were, or None after a warning if the database is away.
    """
    from service.cli.progress import show_progress
    from service.projection.errors import DatabaseError
    from service.projection.openings import Classification

    try:
        with show_progress("game") as show:
            return Classification(service.database).apply(table, show)
    except DatabaseError as error:
        text = f"movelog: warning: the service itself will classify its games later: {error}"
        click.echo(text, err=True)
        return None
