"""`movelog play`: submit the games of record files to a running service, move by move."""

from __future__ import annotations

import os
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.options import settings_with
from service.cli.progress import progress, say

if TYPE_CHECKING:
    from notation.reader import ReadResult
    from service.cli.client import Client

RECORD = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.command(short_help="Submit recorded games to a running service, move by move.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=RECORD)
@click.option(
    "--url", help="The service [MOVELOG_URL; default: the one running here, or on the usual port]."
)
@click.option("--token", help="A bearer token with the scope play [MOVELOG_TOKEN].")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the token [default: admin.token in the data directory].",
)
def play(
    files: tuple[Path, ...], url: str | None, token: str | None, token_file: Path | None
) -> int:
    """Submit the games of record files to a running service, move by move, as their scribe.

    Annotations are sent along. A game that its last action does not end is ended as the record
    says (resignation, agreement, loss on time, adjudication), and closed as unterminated if it
    has no result. Prints a line `number id result` for each game; with several files a line
    `# name` before each. What cannot be read or is refused goes to standard error.

    Every request has an idempotency key made of the file's content, the game's number and the
    ply: broken off and started again, it goes on, and nothing is played twice.

    Exit status 1 if any game was not submitted.
    """
    from service.cli.client import Client

    client = Client(url or usual_url(), token or usual_token(token_file))
    failed = 0
    for file in files:
        if len(files) > 1:
            say(f"# {file}")
        failed += submit_file(client, file)
    return 1 if failed else 0


def usual_url() -> str:
    """Where the service is unless the user says otherwise."""
    if url := os.environ.get("MOVELOG_URL"):
        return url
    settings = settings_with()
    running = settings.data_dir / "run" / "url"
    if running.exists():
        return running.read_text().strip()
    return f"http://{settings.host}:{settings.port}"


def usual_token(file: Path | None) -> str:
    """The token in the file, in MOVELOG_TOKEN, or in the data directory."""
    if file is None and "MOVELOG_TOKEN" in os.environ:
        return os.environ["MOVELOG_TOKEN"]
    file = file or settings_with().admin_token_file
    if not file.exists():
        raise click.UsageError(f"no token: {file} does not exist; give --token or --token-file")
    return file.read_text().strip()


def submit_file(client: Client, file: Path) -> int:
    """Submit the games of a file; returns how many failed."""
    from notation.errors import RecordError
    from notation.reader import read
    from service.cli.client import Refused
    from service.cli.submission import NotPlayable, submit

    failed = 0
    with file.open("rb") as stream, progress(file.stat().st_size, "B", bytes=True) as bar:
        content = file_digest(stream, "sha256").hexdigest()[:32]
        stream.seek(0)
        for verdict in read(stream):

            def show(done: float, verdict: ReadResult = verdict) -> None:
                bar.update(verdict.start + done * (verdict.end - verdict.start) - bar.n)

            try:
                answer = submit(client, verdict.game, f"{content}-{verdict.number}", show)
                say(f"{verdict.number} {answer['id']} {answer['result']}")
                if verdict.game.comments:
                    say(f"{file}: game {verdict.number}: its comments have no action", error=True)
            except (RecordError, Refused, NotPlayable) as error:
                failed += 1
                say(f"{file}: game {verdict.number}: {error}", error=True)
    return failed
