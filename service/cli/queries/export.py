"""`movelog export`: export games of a running service."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from service.cli.options import add_service_options
from service.cli.progress import make_progress_bar
from service.cli.queries.export_file import open_output
from service.cli.queries.filters import filter_options, read_filters

if TYPE_CHECKING:
    from service.cli.client import Client

PGN: Final = "application/x-chess-pgn"
NDJSON: Final = "application/x-ndjson"
PARQUET: Final = "application/vnd.apache.parquet"
FORMATS: Final = {"pgn": PGN, "ndjson": NDJSON, "parquet": PARQUET}
"""The formats by their names, which are also file name extensions."""
MAX_RESTARTS: Final = 5
"""How often a Parquet file is begun."""
MAX_RESUMES: Final = 20
"""How often a lost connection is resumed without receiving a game in between."""
TAG: Final = b'[MovelogGame "'


@click.command(short_help="Export games of a running service.")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@filter_options
@click.option("--tournament", help="The id of a tournament: its games by round and board.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file [stdout]."
)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(FORMATS)),
    help="pgn, ndjson (a line of JSON a game) or parquet (a table, for research) [by the output"
    " file's ending, else pgn].",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format ndjson.")
@click.option("--clocks/--no-clocks", default=True, help="Clock times.")
@click.option("--comments/--no-comments", default=True, help="Comments on the actions.")
@click.option("--evaluations/--no-evaluations", default=True, help="Program evaluations.")
@click.option("--variations/--no-variations", default=True, help="Variations.")
@click.option("--literate", is_flag=True, help="Write glyphs and the termination in words.")
@click.option("--analysis", is_flag=True, help="Add the service's analysis, if there is one.")
@click.option("--after", help="Continue after this game, the last of an earlier export.")
@add_service_options
def export(
    ids: tuple[str, ...],
    output: Path | None,
    name: str | None,
    as_json: bool,
    after: str | None,
    tournament: str | None,
    service: Client,
    clocks: bool,
    comments: bool,
    evaluations: bool,
    variations: bool,
    literate: bool,
    analysis: bool,
    **given: Any,
) -> int:
    """Export games of a running service: the games with the given IDs, or all that match.

    Writes records separated by empty lines, lines of JSON, or a Parquet file; newest first, or in
    the order of the IDs, or by round and board with --tournament (`movelog tournament log` exports
    the events of the tournament itself). After a lost connection the export resumes where it broke;
    a Parquet file is started again. With --after, new games are appended to the output file. An
    interrupted export leaves the output file as it was. Prints the number of games on standard
    error, or of bytes of a Parquet file.
    """
    toggles = {
        "clocks": clocks,
        "comments": comments,
        "evaluations": evaluations,
        "variations": variations,
        "literate": literate,
        "analysis": analysis,
    }
    wanted = read_filters(given)
    if ids and wanted:
        raise click.UsageError("give either IDs or filters")
    if tournament is not None:
        if ids or wanted:
            raise click.UsageError("a tournament is exported whole: no IDs, no filters")
        wanted = {"tournament": tournament}
    kind = choose_format(name, as_json, output)
    export = Export(service, kind, ids, wanted, toggles)
    if kind == PARQUET:
        written = write_table(export, output, after)
    else:
        written = write_games(export, output, after)
    if not ids:
        service.warn_of_lag()
    click.echo(written, err=True)
    return 0


def choose_format(name: str | None, as_json: bool, output: Path | None) -> str:
    """The media type to request: the named one, or that of the output file's extension."""
    if name is None:
        ending = output.suffix.removeprefix(".").lower() if output else ""
        name = "ndjson" if as_json else ending
    elif as_json and name != "ndjson":
        raise click.UsageError("--json is the same as --format ndjson")
    return FORMATS.get(name, PGN)


def write_games(export: Export, output: Path | None, after: str | None) -> str:
    """Write the games, one by one; returns how many there were, in words."""
    games = export.iterate_games(after)
    first = list(islice(games, 1))  # A refused export must not create a file.
    with ExitStack() as opened:
        file: IO[bytes] = (
            opened.enter_context(open_output(output, append=after is not None))
            if output
            else sys.stdout.buffer
        )
        bar = opened.enter_context(make_progress_bar(None, "B", bytes=True))
        count = 0
        # Separate the first game from those of an earlier export.
        goes_on = output is not None and file.seekable() and file.tell() > 0
        for game in chain(first, games):
            file.write((b"\n" if goes_on and export.kind == PGN else b"") + game)
            bar.update(len(game))
            goes_on = True
            count += 1
        file.flush()
    return f"{count} games"


def write_table(export: Export, output: Path | None, after: str | None) -> str:
    """Write a Parquet file, anew if the connection is lost; returns its size, in words."""
    from service.cli.client import ConnectionLost

    if output is None:
        raise click.UsageError("a Parquet file is binary: give -o FILE")
    if after is not None:
        raise click.UsageError("nothing can be appended to a Parquet file: leave out --after")
    for left in reversed(range(MAX_RESTARTS)):
        size = 0
        try:
            chunks = export.stream_chunks(None)
            first = list(islice(chunks, 1))
            with (
                open_output(output, append=False) as file,
                make_progress_bar(None, "B", bytes=True) as bar,
            ):
                for chunk in chain(first, chunks):
                    size += file.write(chunk)
                    bar.update(len(chunk))
            break
        except ConnectionLost as error:
            if not left:
                raise click.ClickException(str(error)) from error
    return f"{size} bytes"


class Export:
    """An export that resumes over new connections until it is complete."""

    def __init__(
        self,
        service: Client,
        kind: str,
        ids: tuple[str, ...],
        query: dict[str, str],
        toggles: dict[str, bool],
    ) -> None:
        self.service = service
        self.kind = kind
        self.ids = ids
        self.query = query
        self.toggles = toggles

    def iterate_games(self, after: str | None) -> Iterator[bytes]:
        """Yield each game once, complete; raises Refused, and ClickException if resuming fails."""
        from service.cli.client import ConnectionLost

        tries = 0
        split, id_of = (
            (split_lines, read_id_of_line)
            if self.kind == NDJSON
            else (split_records, read_id_of_record)
        )
        while True:
            try:
                for game in split(self.stream_chunks(after)):
                    yield game
                    after, tries = id_of(game), 0
                return
            except ConnectionLost as error:
                tries += 1
                if tries > MAX_RESUMES:
                    raise click.ClickException(str(error)) from error

    def stream_chunks(self, after: str | None) -> Iterator[bytes]:
        """Yield the answer's bytes as they come; raises Refused and ConnectionLost."""
        if not self.ids:
            switches = {name: str(on).lower() for name, on in self.toggles.items()}
            query = self.query | switches | ({"after": after} if after else {})
            return self.service.stream("GET", "/export", self.kind, params=query)
        body = {"ids": list(self.ids), "after": after, **self.toggles}
        return self.service.stream("POST", "/export", self.kind, json=body)


def split_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Split a stream into its lines."""
    return _split(chunks, b"\n", b"\n")


def split_records(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Split a stream into its records, which an empty line and a tag separate."""
    return _split(chunks, b"\n\n[", b"\n")


def read_id_of_line(line: bytes) -> str:
    """The id of a game written as a line of JSON."""
    return str(json.loads(line)["id"])


def read_id_of_record(record: bytes) -> str:
    """The id of a game written as a record."""
    start = record.index(TAG) + len(TAG)
    return record[start : record.index(b'"', start)].decode()


def _split(chunks: Iterator[bytes], mark: bytes, kept: bytes) -> Iterator[bytes]:
    """Split at each mark; a part ends with `kept`, the next begins after the mark's newlines."""
    left = b""
    over = len(mark) - len(mark.lstrip(b"\n"))
    for chunk in chunks:
        searched = max(0, len(left) - len(mark))
        left += chunk
        while (at := left.find(mark, searched)) >= 0:
            yield left[:at] + kept
            left = left[at + over :]
            searched = 0
    if left:
        yield left
