"""`movelog engine`: the search as an engine for other programs, over a line protocol."""

from __future__ import annotations

import sys

import click


@click.command(short_help="Run the search as an engine for other programs.")
@click.argument("variant", default="kerd")
def engine(variant: str) -> None:
    """Run the search as an engine that reads commands, similar to UCI, from standard input.

    VARIANT is the initial game; `setoption name Variant value …` changes it. The commands and
    answers are described in docs/engine-protocol.md.

    \b
    Example:
      position startpos moves b1a2
      go nodes 100000
    """
    from engine.errors import UnknownVariant
    from engine.registry import find_variant
    from service.protocol.engine import Engine

    try:
        running = Engine(print_line, find_variant(variant))
    except UnknownVariant as error:
        raise click.BadParameter(str(error), param_hint="VARIANT") from error
    for line in sys.stdin:
        if not running.obey(line):
            return
    running.close()


def print_line(line: str) -> None:
    """Write a whole line at once, so that threads do not mix their lines."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
