"""`movelog export`: take games out of a running service."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from service.cli.finding import client, filters, query, service_options
from service.cli.progress import progress

if TYPE_CHECKING:
    from service.cli.client import Client

PGN: Final = "application/x-chess-pgn"
NDJSON: Final = "application/x-ndjson"
RESUMED: Final = 20
"""How often a stream that breaks off is taken up again without a game in between."""
TAG: Final = b'[MovelogGame "'


@click.command(short_help="Take games out of a running service.")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@filters
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file [stdout]."
)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game, not PGN.")
@click.option("--clocks/--no-clocks", default=True, help="Times left and taken.")
@click.option("--comments/--no-comments", default=True, help="Texts beside the actions.")
@click.option("--evaluations/--no-evaluations", default=True, help="A program's evaluations.")
@click.option("--variations/--no-variations", default=True, help="What could have been played.")
@click.option("--literate", is_flag=True, help="Glyphs and the game's end in words.")
@click.option("--analysis", is_flag=True, help="The service's own analysis, where there is one.")
@click.option("--after", help="Go on behind this game, the last that an earlier export gave.")
@service_options
def export(
    ids: tuple[str, ...],
    output: Path | None,
    as_json: bool,
    after: str | None,
    url: str | None,
    token: str | None,
    clocks: bool,
    comments: bool,
    evaluations: bool,
    variations: bool,
    literate: bool,
    analysis: bool,
    **given: Any,
) -> int:
    """Take games out of a running service: those named by ID, or all that the options find.

    As records with an empty line between two, or with --json as lines of JSON; newest first, or
    in the order of the IDs. A connection that breaks is taken up again where it broke. With
    --after, what the output file holds already stays in front. The number of games goes to
    standard error.
    """
    toggles = {
        "clocks": clocks,
        "comments": comments,
        "evaluations": evaluations,
        "variations": variations,
        "literate": literate,
        "analysis": analysis,
    }
    wanted = query(given)
    if ids and wanted:
        raise click.UsageError("either IDs or what to look for")
    exporting = Exporting(client(url, token), NDJSON if as_json else PGN, ids, wanted, toggles)
    games = exporting.games(after)
    first = list(islice(games, 1))  # An export that is refused leaves the file as it was.
    with ExitStack() as opened:
        mode = "wb" if after is None else "ab"
        file: IO[bytes] = opened.enter_context(output.open(mode)) if output else sys.stdout.buffer
        bar = opened.enter_context(progress(None, "B", bytes=True))
        count = 0
        # Whatever the file has of an earlier export stands before what comes now.
        goes_on = output is not None and output.stat().st_size > 0
        for game in chain(first, games):
            file.write((b"\n" if goes_on and not as_json else b"") + game)
            bar.update(len(game))
            goes_on = True
            count += 1
        file.flush()
    click.echo(f"{count} games", err=True)
    return 0


class Exporting:
    """One export, over as many connections as it takes."""

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

    def games(self, after: str | None) -> Iterator[bytes]:
        """Each game whole, once; raises Refused, and ClickException when nothing comes any more."""
        from service.cli.client import BrokenOff

        tries = 0
        cut, id_of = (cut_lines, id_of_line) if self.kind == NDJSON else (cut_records, id_of_record)
        while True:
            try:
                for game in cut(self._chunks(after)):
                    yield game
                    after, tries = id_of(game), 0
                return
            except BrokenOff as error:
                tries += 1
                if tries > RESUMED:
                    raise click.ClickException(str(error)) from error

    def _chunks(self, after: str | None) -> Iterator[bytes]:
        if not self.ids:
            switches = {name: str(on).lower() for name, on in self.toggles.items()}
            asked = self.query | switches | ({"after": after} if after else {})
            return self.service.stream("GET", "/export", self.kind, params=asked)
        body = {"ids": list(self.ids), "after": after, **self.toggles}
        return self.service.stream("POST", "/export", self.kind, json=body)


Cut = Callable[[Iterator[bytes]], Iterator[bytes]]


def cut_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a stream."""
    return _cut(chunks, b"\n", b"\n")


def cut_records(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The records of a stream: behind the empty line between two, tags begin again."""
    return _cut(chunks, b"\n\n[", b"\n")


def id_of_line(line: bytes) -> str:
    """The id of a game as a line of JSON."""
    return str(json.loads(line)["id"])


def id_of_record(record: bytes) -> str:
    """The id of a game as a record."""
    start = record.index(TAG) + len(TAG)
    return record[start : record.index(b'"', start)].decode()


def _cut(chunks: Iterator[bytes], mark: bytes, kept: bytes) -> Iterator[bytes]:
    """What stands before each mark, with the part of the mark that ends it."""
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
