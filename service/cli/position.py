"""`movelog position`: describe positions as JSON, for other programs to compare."""

from __future__ import annotations

import json

import click


@click.command(short_help="Describe positions as JSON.")
@click.argument("file", default="-", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
def position(file: str) -> None:
    """Describe positions: legal actions, SAN, outcome, points.

    Reads lines `variant<TAB>fen` from FILE or standard input; fen may be the word start. Prints
    one JSON object a line: fen (canonical), legal (coordinate form, sorted by code point), san
    (object from coordinate form to SAN), outcome (null, or result and termination, from the
    position alone) and points ([first, second], or null).

    A bad line gives {"error": {"code", "field", "reason"}} and the rest goes on.

    \b
    Example:
      printf 'katruji\\tstart\\n' | movelog position
    """
    from notation.description import describe_line

    # What is no UTF-8 makes a bad line like any other; only a line feed ends one.
    stream = click.open_file(file, "rb")
    with stream:
        for line in stream:
            description = describe_line(line.decode(errors="replace"))
            # A program at the other end of a pipe gets each answer before its next question.
            print(json.dumps(description, ensure_ascii=False), flush=True)
