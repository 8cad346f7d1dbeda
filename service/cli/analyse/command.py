"""`movelog analyse`: the command, its options, and the choice among its three searches."""

from __future__ import annotations

from pathlib import Path

import click

from service.analysis.parameters import (
    MOST_DEPTH,
    MOST_LINES,
    MOST_NODES,
    MOST_SECONDS,
    MOST_SEED,
    Parameters,
    apply_default,
)
from service.cli.analyse import offline, remote
from service.cli.options import add_token_option, url_option
from service.cli.records.files import STDIN
from service.helpers import MOST_THREADS


@click.command(short_help="Search a position, a file of games, or a game of the service.")
@click.argument("target", metavar="[FEN|FILE]", required=False)
@click.option("--variant", help="The game a FEN belongs to: katruji, kerak, …")
@click.option("--game", help="The id of a game of the service, instead of a FEN or FILE.")
@click.option(
    "--ply",
    type=click.IntRange(0),
    help="Only that game's position after PLY actions [every position].",
)
@click.option("--stale", is_flag=True, help="Have the service redo the analyses of older engines.")
@click.option(
    "--depth", type=click.IntRange(1, MOST_DEPTH), help="Search at most this many actions deep."
)
@click.option(
    "--nodes",
    type=click.IntRange(1, MOST_NODES),
    help="Search at most this many nodes per position.",
)
@click.option(
    "--seconds",
    type=click.IntRange(1, MOST_SECONDS),
    help="Search at most this many seconds per position.",
)
@click.option(
    "--lines",
    type=click.IntRange(1, MOST_LINES),
    default=1,
    help="The number of best lines to show [1].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MOST_SEED),
    default=0,
    help="Chooses between equally good actions [0].",
)
@click.option(
    "--threads",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    help="Search on this many cores [1]; with more than one, no search can be repeated exactly.",
)
@click.option(
    "--draw-by-points",
    is_flag=True,
    help="For a FEN of Kerak: a draw goes to the side with more points.",
)
@click.option("--json", "as_json", is_flag=True, help="Lines of JSON.")
@url_option
@add_token_option
def analyse(
    target: str | None,
    variant: str | None,
    game: str | None,
    ply: int | None,
    stale: bool,
    depth: int | None,
    nodes: int | None,
    seconds: int | None,
    lines: int,
    seed: int,
    threads: int,
    draw_by_points: bool,
    as_json: bool,
    url: str | None,
    token: str | None,
) -> int:
    """Search a position, every position of the games in a file, or a game of the service.

    A FEN (or start) is searched on this machine, with a row for each depth and line as it is found;
    Ctrl-C ends the search and keeps the best line so far. A FILE of records (also packed by gzip or
    zstd, or - for standard input) is searched on this machine game by game, with a row for each
    action that marks inaccuracies, mistakes and blunders, then the accuracy of both sides. A game
    of the service is searched by its workers. Scores are seen from the first side. Without a limit
    a position gets a million nodes, each position of a game a hundred thousand.

    \b
        movelog analyse start --variant kerak --seconds 10 --lines 3
        movelog analyse games.pgn --nodes 200000 --json
        movelog analyse --game k3v5qg2xw7pfa4ze
    """
    given = [target is not None, game is not None, stale]
    if sum(given) != 1:
        raise click.UsageError("give one of a FEN, a FILE, --game and --stale")
    if ply is not None and game is None:
        raise click.UsageError("--ply goes with --game")
    is_file = target is not None and (target == STDIN or Path(target).is_file())
    if draw_by_points and (target is None or is_file):
        raise click.UsageError("--draw-by-points goes with a FEN; a game has its own agreement")
    if threads > 1 and target is None:
        raise click.UsageError("--threads goes with a FEN or a FILE, which this machine searches")
    parameters = Parameters(depth, nodes, seconds, lines, seed, draw_by_points)
    if stale or game is not None:
        from service.cli.client import connect
    if stale:
        return remote.renew_stale(connect(url, token), as_json)
    if game is not None:
        return remote.analyse_game(connect(url, token), game, ply, parameters, as_json)
    assert target is not None
    if is_file:
        return offline.analyse_file(
            target, apply_default(parameters, whole_game=True), as_json, threads
        )
    if variant is None:
        raise click.UsageError(f"{target} is not a file; a FEN needs --variant")
    return offline.analyse_position(
        variant, target, apply_default(parameters, whole_game=False), as_json, threads
    )
