"""`movelog tournament records`, `log`, `trf`, `import-trf`: a tournament to files, and back."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from uuid import uuid4

import click

from service.cli.options import add_service_options
from service.cli.tournament.group import (
    add_shared_options,
    format_tournament,
    print_answer,
    tournament,
)

if TYPE_CHECKING:
    from service.cli.client import Client

TRF: Final = "text/plain"

output_option = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file [stdout]."
)


@tournament.command(short_help="Export all games as records.")
@output_option
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game, not PGN.")
@click.argument("id")
@add_service_options
def records(id: str, output: Path | None, as_json: bool, service: Client) -> None:
    """Export all games that count for a tournament, by round and board."""
    from service.cli.queries.export import NDJSON, PGN, Export

    kind = NDJSON if as_json else PGN
    export = Export(service, kind, (), {"tournament": id}, {})
    with ExitStack() as opened:
        file: IO[bytes] = opened.enter_context(output.open("wb")) if output else sys.stdout.buffer
        for number, game in enumerate(export.iterate_games(None)):
            file.write((b"\n" if number and not as_json else b"") + game)
        file.flush()


@tournament.command(short_help="Export the signed log of all events.")
@output_option
@click.argument("id")
@add_service_options
def log(id: str, output: Path | None, service: Client) -> None:
    """Export a tournament's events, chained and signed, for `movelog verify`.

    A round that is still being paired is left out.
    """
    from service.cli.queries.export import NDJSON

    save_answer(service, f"/tournaments/{id}/events", NDJSON, output)


@tournament.command(short_help="Export the tournament as a FIDE report.")
@output_option
@click.argument("id")
@add_service_options
def trf(id: str, output: Path | None, service: Client) -> None:
    """Export the tournament in the FIDE tournament report format (TRF)."""
    save_answer(service, f"/tournaments/{id}/trf", TRF, output)


def save_answer(service: Client, path: str, media_type: str, output: Path | None) -> None:
    """Write the answer of a path to a file, or to standard output; a file is written as a whole."""
    data = b"".join(service.stream("GET", path, media_type))
    if output:
        output.write_bytes(data)
    else:
        click.echo(data.decode(), nl=False)


@tournament.command(short_help="Import a FIDE report as a tournament.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("variant")
@click.option(
    "--kind",
    type=click.Choice(["round-robin", "swiss", "free"]),
    default="swiss",
    help="The kind of tournament that the report is of [swiss].",
)
@add_shared_options
def import_trf(file: Path, variant: str, kind: str, service: Client, as_json: bool) -> None:
    """Import a report: its players, who are known by name, its rounds, results and byes."""
    path = f"/tournaments/trf?variant={variant}&kind={kind}"
    answer = service.post_text(path, file.read_bytes(), str(uuid4()))
    print_answer(answer, as_json, format_tournament(answer))
