"""`python -m training STEP …`: the steps from games to weights."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.registry import VARIANTS
from engine.search.techniques import NAMES as TECHNIQUES
from service.selfplay.errors import NoOpening
from training.arguments import add_fit, add_games, add_later, add_processes, add_techniques
from training.errors import TrainingError
from training.openings import FEWEST
from training.options import (
    read_chance,
    read_count,
    read_games,
    read_natural,
)
from training.plan import Plan
from training.seen import SEEN
from training.steps import (
    count_openings,
    find_puzzles,
    make_network,
    play_games,
    print_scale,
    print_weights,
    run_all_steps,
    take_positions,
    tune_search,
)

EXPLORED = Path("service/openings/self_play")
"""The explorer's folder for what the search played from openings."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = made.add_subparsers(dest="step", required=True, metavar="STEP")
    games = steps.add_parser(
        "games",
        help="play games of the search against itself",
        description="Play games of the search against itself until each variant has this many "
        "positions with a score. It can be stopped or killed at any time; the same command "
        "continues.",
    )
    games.add_argument("folder", type=Path, help="where the files of games are")
    games.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    games.add_argument(
        "--positions", type=read_count, default=1_000_000, metavar="N", help="[1,000,000]"
    )
    add_processes(games)
    games.add_argument(
        "--nodes", type=read_count, default=Plan().nodes, metavar="N", help="[2,000]"
    )
    games.add_argument(
        "--random-actions",
        type=read_natural,
        metavar="N",
        help="at most N at the beginning of a game [depends on the variant]",
    )
    games.add_argument(
        "--strays",
        type=read_count,
        default=Plan().strays,
        metavar="N",
        help="one action in N is random [40]",
    )
    games.add_argument(
        "--void-choices",
        action="store_true",
        help="in Kerd, nobody has an infiltrator [random ones, which both sides know]",
    )
    add_techniques(games)
    games.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    games.set_defaults(run=play_games)
    positions = steps.add_parser(
        "positions",
        help="take the quiet positions of the games, in random order",
        description="Take the quiet positions of the games so far, with the outcome of each, and "
        "write them in random order.",
    )
    add_games(positions, "where the positions go")
    positions.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    add_later(positions)
    add_processes(positions)
    positions.set_defaults(run=take_positions)
    openings = steps.add_parser(
        "openings",
        help="count the actions played in openings, for the explorer",
        description="Count the actions played from the positions of openings in the games so far, "
        "for the explorer.",
    )
    add_games(openings)
    openings.add_argument(
        "--folder", type=Path, default=EXPLORED, metavar="FOLDER", help=f"[{EXPLORED}]"
    )
    openings.add_argument(
        "--fewest",
        type=read_count,
        default=FEWEST,
        metavar="N",
        help=f"games of a position [{FEWEST}]",
    )
    openings.set_defaults(run=count_openings)
    scale = steps.add_parser(
        "scale",
        help="fit the scale of the winning chances to the games",
        description="Fit the scale of the winning chances to the scores and results of the games "
        "so far, and print it with its standard error beside the one in use.",
    )
    add_games(scale)
    scale.set_defaults(run=print_scale)
    weights = steps.add_parser(
        "weights",
        help="fit the weights of the evaluation's terms to the positions",
        description="Fit the weights of each evaluation's terms to positions, and print them with "
        "their standard errors beside those in use.",
    )
    weights.add_argument("folder", type=Path, help="where the positions are")
    weights.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    weights.add_argument(
        "--positions",
        type=read_count,
        default=300_000,
        metavar="N",
        help="no more than N [300,000]",
    )
    weights.set_defaults(run=print_weights)
    network = steps.add_parser(
        "network",
        help="fit a network to the positions",
        description="Fit a network to positions, and write its weights with a description of how "
        "they were made. A game is played by the network in its folder of the engine.",
    )
    network.add_argument("folder", type=Path, help="where the positions are")
    network.add_argument("target", type=Path, help="where network.bin and network.json go")
    network.add_argument("variants", nargs=1, metavar="VARIANT", choices=list(SEEN))
    network.add_argument(
        "--positions",
        type=read_count,
        default=1_000_000,
        metavar="N",
        help="no more than N [1,000,000]",
    )
    add_fit(network)
    network.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    add_processes(network)
    network.set_defaults(run=make_network)
    puzzles = steps.add_parser(
        "puzzles",
        help="find puzzles in the games",
        description="Find puzzles in the games so far, and add them to a file for each variant "
        "until it has this many. It can be stopped at any time; the same command continues.",
    )
    add_games(puzzles, "where the puzzles go")
    puzzles.add_argument("--count", type=read_natural, default=150, metavar="N", help="[150]")
    puzzles.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    puzzles.add_argument(
        "--anew",
        action="store_true",
        help="first examine the puzzles of the files, and keep those that this build still finds; "
        "it examines none twice",
    )
    puzzles.set_defaults(run=find_puzzles)
    add_tuning(steps)
    add_all_steps(steps)
    return made


def add_tuning(steps: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that tunes the search."""
    step = steps.add_parser(
        "tune",
        help="tune the parameters of the search in games (SPSA)",
        description="Tune the parameters by which the search prunes and reduces, in pairs of games "
        "of the search against itself. It can be stopped or killed at any time; the same command "
        "continues. It changes nothing: the result still has to win a match.",
    )
    step.add_argument("variants", nargs=1, metavar="VARIANT")
    step.add_argument("folder", type=Path, help="where the progress is kept")
    step.add_argument("--iterations", type=read_count, default=1_000, metavar="N", help="[1,000]")
    step.add_argument(
        "--pairs",
        type=read_count,
        default=4,
        metavar="N",
        help="pairs of games in each iteration [4]",
    )
    step.add_argument("--nodes", type=read_count, default=2_000, metavar="N", help="[2,000]")
    step.add_argument(
        "--opening",
        type=read_natural,
        default=8,
        metavar="N",
        help="random plies at the beginning [8]",
    )
    step.add_argument(
        "--balanced",
        type=read_chance,
        metavar="P",
        help="only openings that leave neither side a greater chance to win, such as 0.65 [any]",
    )
    step.add_argument(
        "--parameters",
        default="",
        metavar="A+B",
        help="tune only these [those of techniques in use]",
    )
    step.add_argument("--processes", type=read_count, default=1, metavar="N", help="[1]")
    step.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    step.set_defaults(run=tune_search)


def add_all_steps(steps: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command for all steps, from nothing to a network that has played its match."""
    step = steps.add_parser(
        "run",
        help="all steps from nothing to networks, each measured in a match",
        description="Play games, take their positions, fit a network to them, and let it play "
        "a match against an evaluation of material only. It can be stopped or killed at any time; "
        "the same command continues, and does not repeat finished steps.",
    )
    step.add_argument("folder", type=Path, help="where everything goes")
    step.add_argument(
        "variants",
        nargs="*",
        metavar="VARIANT",
        help=f"of {', '.join(SEEN)} (default: all)",
    )
    step.add_argument(
        "--positions", type=read_count, default=500_000, metavar="N", help="[500,000]"
    )
    step.add_argument("--nodes", type=read_count, default=Plan().nodes, metavar="N", help="[2,000]")
    add_techniques(step)
    add_fit(step)
    add_later(step)
    step.add_argument(
        "--games",
        type=read_games,
        default=400,
        metavar="N",
        help="of each match, an even number [400]",
    )
    add_processes(step)
    step.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    step.set_defaults(run=run_all_steps)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a step and return the exit status."""
    command_line = parser()
    given = command_line.parse_args(arguments)
    if given.step in ("games", "run"):
        for name in filter(None, given.without.split("+")):
            if name not in TECHNIQUES:
                command_line.error(
                    f"no technique {name!r}; the techniques are {', '.join(TECHNIQUES)}"
                )
    unknown = [name for name in given.variants if name not in VARIANTS]
    if unknown:
        command_line.error(f"no variant {unknown[0]!r}; the variants are {', '.join(VARIANTS)}")
    try:
        given.run(given)
    except (TrainingError, NoOpening) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
