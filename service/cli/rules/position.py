"""`movelog position`: describe positions as JSON, for comparison with other programs."""

from __future__ import annotations

import json

import click


@click.command(short_help="Describe positions as JSON.")
@click.argument("file", default="-", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
def position(file: str) -> None:
    """Describe positions: legal actions, SAN, outcome, points.

    Reads lines `variant<TAB>fen` from FILE or standard input; fen may be the word start. Prints a
    JSON object per line: fen (canonical), legal (coordinate form, sorted by code point), san (an
    object from coordinate form to SAN), outcome (null, or result and termination, from the position
    alone) and points ([first, second], or null).

    For a bad line it prints {"error": {"code", "field", "reason"}} and continues.

    \b
    Example:
      printf 'katruji\\tstart\\n' | movelog position
    """
    from notation.description import describe_line

    # Invalid UTF-8 is a bad line like any other; only a line feed ends a line.
    stream = click.open_file(file, "rb")
    with stream:
        for line in stream:
            description = describe_line(line.decode(errors="replace"))
            # A program on the other end of a pipe waits for each answer before the next line.
            print(json.dumps(description, ensure_ascii=False), flush=True)
