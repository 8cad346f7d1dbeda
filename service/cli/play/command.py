"""`movelog play`: submit the games of record files to a running service, move by move."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.options import add_player_options
from service.cli.progress import make_progress_bar, say

if TYPE_CHECKING:
    from notation.reader import ReadResult
    from service.cli.client import Client

RECORD = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.command(short_help="Submit recorded games to a running service, move by move.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=RECORD)
@add_player_options
def play(files: tuple[Path, ...], service: Client) -> int:
    """Submit the games of record files to a running service, move by move, as their scribe.

    Annotations are included, and variations too. A game that its last action does not end is ended
    as the record says (resignation, agreement, loss on time, adjudication), or closed as
    unterminated if it has no result. Prints a line `number id result` for each game; with several
    files a line `# name` before each. Games that cannot be read or are refused are reported on
    standard error.

    Every request has an idempotency key made of the file's content, the game's number and the ply.
    If the command is interrupted, run it again: it continues, and plays nothing twice.

    Exit status 1 if any game was not submitted.
    """
    failed = 0
    for file in files:
        if len(files) > 1:
            say(f"# {file}")
        failed += submit_file(service, file)
    return 1 if failed else 0


def submit_file(service: Client, file: Path) -> int:
    """Submit the games of a file; return how many failed."""
    from notation.errors import RecordError
    from notation.reader import read
    from service.cli.client import RequestRefused
    from service.cli.play.submission import NotPlayable, submit_game

    failed = 0
    with file.open("rb") as stream, make_progress_bar(file.stat().st_size, "B", bytes=True) as bar:
        content = file_digest(stream, "sha256").hexdigest()[:32]
        stream.seek(0)
        for verdict in read(stream):

            def show(done: float, verdict: ReadResult = verdict) -> None:
                bar.update(verdict.start + done * (verdict.end - verdict.start) - bar.n)

            try:
                answer = submit_game(service, verdict.game, f"{content}-{verdict.number}", show)
                say(f"{verdict.number} {answer['id']} {answer['result']}")
                if verdict.game.comments:
                    say(
                        f"{file}: game {verdict.number}: its comments belong to no action",
                        error=True,
                    )
            except (RecordError, RequestRefused, NotPlayable) as error:
                failed += 1
                say(f"{file}: game {verdict.number}: {error}", error=True)
    return failed
