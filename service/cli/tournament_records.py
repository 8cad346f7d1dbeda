"""`movelog tournament records`, `trf`, `import-trf`: a tournament out as files, and in again."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

import click

from service.cli.finding import client, service_options
from service.cli.tournament import on_service, show, summary, tournament

TRF: Final = "text/plain"

output = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file [stdout]."
)


@tournament.command(short_help="All games as records.")
@output
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game, not PGN.")
@click.argument("id")
@service_options
def records(
    id: str, output: Path | None, as_json: bool, url: str | None, token: str | None
) -> None:
    """All games that count for a tournament, by round and board."""
    from service.cli.export import NDJSON, PGN, Exporting

    kind = NDJSON if as_json else PGN
    exporting = Exporting(client(url, token), kind, (), {"tournament": id}, {})
    with ExitStack() as opened:
        file: IO[bytes] = opened.enter_context(output.open("wb")) if output else sys.stdout.buffer
        for number, game in enumerate(exporting.games(None)):
            file.write((b"\n" if number and not as_json else b"") + game)
        file.flush()


@tournament.command(short_help="The tournament as a FIDE report.")
@output
@click.argument("id")
@service_options
def trf(id: str, output: Path | None, url: str | None, token: str | None) -> None:
    """The tournament in the FIDE tournament report format (TRF)."""
    text = b"".join(client(url, token).stream("GET", f"/tournaments/{id}/trf", TRF))
    if output:
        output.write_bytes(text)
    else:
        click.echo(text.decode(), nl=False)


@tournament.command(short_help="Take a FIDE report in as a tournament.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("variant")
@click.option("--kind", type=click.Choice(["round-robin", "swiss", "free"]), default="swiss")
@on_service
def import_trf(
    file: Path, variant: str, kind: str, url: str | None, token: str | None, as_json: bool
) -> None:
    """Take a report in: its players, known by name, its rounds, results and byes."""
    path = f"/tournaments/trf?variant={variant}&kind={kind}"
    answer = client(url, token).post_text(path, file.read_bytes(), str(uuid4()))
    show(answer, as_json, summary(answer))
