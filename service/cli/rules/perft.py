"""`movelog perft`: count sequences of legal actions."""

from __future__ import annotations

import click

from engine.position import MAX_DEPTH, Position


@click.command(short_help="Count sequences of legal actions.")
@click.argument("variant")
@click.argument("depth", type=click.IntRange(0, MAX_DEPTH))
@click.option("--fen", help="The position to start from [the game's first].")
@click.option(
    "--divide", "split", is_flag=True, help="Also print the count after each first action."
)
def perft(variant: str, depth: int, fen: str | None, split: bool) -> None:
    """Count the sequences of DEPTH legal actions of a game.

    VARIANT is a game's name, such as katruji. The last line is the count; with --divide, a line
    `action count` for each legal action in coordinate form comes before it.

    \b
    Example:
      movelog perft katruji 4
      movelog perft katruji 2 --divide --fen "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"
    """
    from engine.perft import divide
    from engine.perft import perft as count
    from notation.registry import find_dialect

    position = read_position(variant, fen)
    if not split or depth == 0:
        click.echo(count(position, depth))
        return
    coordinate = find_dialect(variant).coordinate
    counts = {coordinate(action): n for action, n in divide(position, depth).items()}
    for action in sorted(counts):
        click.echo(f"{action} {counts[action]}")
    click.echo(sum(counts.values()))


def read_position(variant: str, fen: str | None) -> Position:
    """The position of a FEN, or a game's first; raises click.BadParameter if there is none."""
    from engine.errors import UnknownVariant
    from notation.errors import BadFen
    from notation.registry import find_dialect

    try:
        written = find_dialect(variant)
        return written.start({}) if fen is None else written.read_fen(fen)
    except UnknownVariant as error:
        raise click.BadParameter(str(error), param_hint="VARIANT") from error
    except BadFen as error:
        raise click.BadParameter(str(error), param_hint="--fen") from error
