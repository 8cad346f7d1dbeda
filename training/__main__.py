"""`python -m training STEP …`: the steps from games to weights."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from engine.registry import VARIANTS
from training.errors import TrainingError
from training.game_files import GameFolder, Header
from training.plan import Plan
from training.positions import write_shards
from training.producing import produce


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = made.add_subparsers(dest="step", required=True, metavar="STEP")
    games = steps.add_parser(
        "games",
        help="play games of the search against itself",
        description="Play games of the search against itself until each variant has so many "
        "positions with a score. It can be stopped or killed at any time, and goes on where "
        "it is called again.",
    )
    games.add_argument("folder", type=Path, help="where the files of games are")
    games.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    games.add_argument("--positions", type=int, default=1_000_000, metavar="N", help="[1,000,000]")
    games.add_argument("--processes", type=int, default=1, metavar="N", help="[1]")
    games.add_argument("--nodes", type=int, default=Plan().nodes, metavar="N", help="[2,000]")
    games.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    games.set_defaults(run=play_games)
    positions = steps.add_parser(
        "positions",
        help="take the quiet positions of the games, in random order",
        description="Take the quiet positions of the games there are by now, with the score and "
        "the result of each, and write them in random order.",
    )
    positions.add_argument("games", type=Path, help="where the files of games are")
    positions.add_argument("folder", type=Path, help="where the positions go")
    positions.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    positions.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    positions.set_defaults(run=take_positions)
    return made


def play_games(given: argparse.Namespace) -> None:
    """The step `games`."""
    begun = time.monotonic()

    def report(header: Header) -> None:
        print(
            f"{time.monotonic() - begun:.0f} s: {header.variant} {header.number}, "
            f"{header.games} games, {header.positions} positions",
            flush=True,
        )

    plan = Plan(given.seed, given.nodes)
    variants = given.variants or list(VARIANTS)
    produce(GameFolder(given.folder), plan, variants, given.positions, given.processes, report)


def take_positions(given: argparse.Namespace) -> None:
    """The step `positions`."""
    for variant in given.variants or VARIANTS:
        taken = write_shards(GameFolder(given.games), variant, given.folder, given.seed)
        print(f"{variant}: {taken} quiet positions", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a step; the exit status."""
    command_line = parser()
    given = command_line.parse_args(arguments)
    unknown = [name for name in given.variants if name not in VARIANTS]
    if unknown:
        command_line.error(f"no variant {unknown[0]!r}; there is {', '.join(VARIANTS)}")
    try:
        given.run(given)
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
