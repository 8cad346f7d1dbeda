"""`movelog events`: the events of all games of a running service, as a mirror keeps them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from engine.registry import VARIANTS
from service.cli.options import add_service_options
from service.storage.durable_files import replace, sync

if TYPE_CHECKING:
    from service.cli.client import Client

NDJSON: Final = "application/x-ndjson"
PAGE: Final = 5000
PAUSE: Final = 1.0
"""Seconds between two requests for new events."""
MOST_TRIES: Final = 20
"""How often an interrupted page is requested again."""
SUFFIX: Final = ".position"


@click.command(short_help="Write the events of all games of a running service.")
@click.option("--variant", type=click.Choice(list(VARIANTS)), help="Only games of this variant.")
@click.option("--player", help="Only events that concern the player with this id.")
@click.option("--tournament", help="Only games that the tournament with this id has paired.")
@click.option("--games", help="Only these games: ids, joined by commas.")
@click.option("--types", help="Only these types of events, joined by commas: action-played.")
@click.option("--after", help="A position, `start` or `now` [where FILE ends, else start].")
@click.option("--follow", is_flag=True, help="Keep writing new events until interrupted.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file [stdout]."
)
@add_service_options
def events(
    after: str | None, follow: bool, output: Path | None, service: Client, **given: Any
) -> int:
    """Write the events of all games of a running service, a line of JSON each.

    With -o, the position reached is kept beside FILE, in FILE.position: the same command continues
    there, and writes each event once, even after a crash. Otherwise the position reached is
    printed on standard error, to be given as --after.
    """
    query = {name: value for name, value in given.items() if value is not None}
    if output is None:
        return copy_to_stream(service, query, after or "start", follow)
    mirror = Mirror(output)
    if after is not None and mirror.position is not None:
        raise click.UsageError(f"{mirror.note} says where {output} ends: leave out --after")
    with mirror.open() as file:
        position = mirror.position or after or "start"

        def keep(lines: bytes, position: str) -> None:
            file.write(lines)
            mirror.keep(file, position)

        read_pages(service, query, position, follow, keep)
    return 0


def copy_to_stream(service: Client, query: dict[str, str], after: str, follow: bool) -> int:
    """Write the events to standard output, and the position reached to standard error."""
    reached = after

    def write(lines: bytes, position: str) -> None:
        nonlocal reached
        sys.stdout.buffer.write(lines)
        sys.stdout.flush()
        reached = position

    try:
        read_pages(service, query, after, follow, write)
    finally:
        click.echo(f"position {reached}", err=True)
    return 0


def read_pages(
    service: Client,
    query: dict[str, str],
    position: str,
    follow: bool,
    keep: Callable[[bytes, str], None],
) -> None:
    """Hand on the lines of each page and the position after them; with `follow`, for ever.

    Raises ConnectionLost if the connection breaks again and again.
    """
    while True:
        content = read_page(service, query | {"after": position, "limit": str(PAGE)})
        end = content.rstrip(b"\n").rfind(b"\n") + 1
        last = json.loads(content[end:])
        position = last["position"]
        keep(content[:end], position)
        if not last["caught_up"]:
            continue
        if not follow:
            return
        time.sleep(PAUSE)


def read_page(service: Client, query: dict[str, str]) -> bytes:
    """The lines of a page; an interrupted one is requested again."""
    from service.cli.client import ConnectionLost

    tries = 0
    while True:
        try:
            return b"".join(service.stream("GET", "/events", NDJSON, params=query))
        except ConnectionLost:
            tries += 1
            if tries > MOST_TRIES:
                raise
            time.sleep(PAUSE)


class Mirror:
    """A file of events, and beside it how far it has come: the position and the bytes before it.

    Bytes beyond that, written by an interrupted command, are cut off. Raises UsageError if the file
    is shorter, or exists without a known position.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.note = file.with_name(file.name + SUFFIX)
        self.position: str | None = None
        self._size = 0
        if self.note.exists():
            self.position, size = self.note.read_text().split()
            self._size = int(size)
        here = file.stat().st_size if file.exists() else 0
        if here < self._size or (here and self.position is None):
            raise click.UsageError(
                f"{file} exists without a matching {self.note}: move it away, or name another"
            )

    def open(self) -> IO[bytes]:
        """The file, opened to write at its end."""
        file = self.file.open("ab")
        file.truncate(self._size)
        return file

    def keep(self, file: IO[bytes], position: str) -> None:
        """Make what was written durable, then note the position after it."""
        sync(file)
        draft = self.note.with_name(self.note.name + ".new")
        with draft.open("w") as note:
            note.write(f"{position} {file.tell()}\n")
            sync(note)
        replace(draft, self.note)
