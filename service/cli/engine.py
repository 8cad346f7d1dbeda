"""`movelog engine`: the search for other programs, by a line protocol."""

from __future__ import annotations

import sys

import click


@click.command(short_help="Search for other programs, by a line protocol.")
@click.argument("variant", default="kerd")
def engine(variant: str) -> None:
    """Obey lines on standard input, in the manner of UCI, until `quit` or its end.

    VARIANT is the game to begin with; `setoption name Variant value …` changes it. The commands
    and answers are described in docs/engine-protocol.md.

    \b
    Example:
      position startpos moves b1a2
      go nodes 100000
    """
    from engine.errors import UnknownVariant
    from engine.registry import variant as variant_of
    from service.protocol.engine import Engine

    try:
        begun = Engine(tell, variant_of(variant))
    except UnknownVariant as error:
        raise click.BadParameter(str(error), param_hint="VARIANT") from error
    for line in sys.stdin:
        if not begun.obey(line):
            return
    begun.stop()


def tell(line: str) -> None:
    """Write a line at once, whole, whichever thread has it to say."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
