"""`movelog replay`: check records offline."""

from __future__ import annotations

import click

from service.cli.progress import say
from service.cli.records.files import FILE, read_games


@click.command(short_help="Check records offline.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
def replay(files: tuple[str, ...]) -> int:
    """Check records: that every action is legal, and result, termination and points are right.

    Prints a line for each game: `number ok`, or `number quarantined code line ply`, with `-` for a
    value that does not apply; with several files a line `# name` before each. Details of errors go
    to standard error. FILE may be packed by gzip or zstd, or - for standard input.

    Exit status 1 if any game was quarantined.
    """
    quarantined = 0
    for file in files:
        if len(files) > 1:
            say(f"# {file}")
        quarantined += check_file(file)
    return 1 if quarantined else 0


def check_file(file: str) -> int:
    """Print the verdicts on one file; return how many games were quarantined."""
    quarantined = 0
    for verdict in read_games(file):
        say(str(verdict))
        if verdict.error is not None:
            quarantined += 1
            say(f"{file}: game {verdict.number}: {verdict.error}", error=True)
    return quarantined
