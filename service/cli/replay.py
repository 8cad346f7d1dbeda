"""`movelog replay`: check records offline."""

from __future__ import annotations

import click

from service.cli.progress import say
from service.cli.records import FILE, verdicts


@click.command(short_help="Check recorded games.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
def replay(files: tuple[str, ...]) -> int:
    """Check records: every action legal, result, termination and points right.

    One line a game: `number ok`, or `number quarantined code line ply` with `-` where none
    applies. With several files a line `# name` stands before each. What is wrong in detail goes
    to standard error. FILE may be packed by gzip or zstd, or - for standard input.

    Exit status 1 if any game was quarantined.
    """
    quarantined = 0
    for file in files:
        if len(files) > 1:
            say(f"# {file}")
        quarantined += check(file)
    return 1 if quarantined else 0


def check(file: str) -> int:
    """Print the verdicts on one file; returns how many games were quarantined."""
    quarantined = 0
    for verdict in verdicts(file):
        say(str(verdict))
        if verdict.error is not None:
            quarantined += 1
            say(f"{file}: game {verdict.number}: {verdict.error}", error=True)
    return quarantined
