"""Arguments that several steps of `python -m training` have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.options import read_count, read_decay, read_rate, read_share
from training.plan import DECAY, EPOCHS, RATE
from training.positions import LATER


def add_games(step: argparse.ArgumentParser, *folder: str) -> None:
    """Add a folder of games, a `folder` for the results if its help is given, and variants."""
    step.add_argument("games", type=Path, help="where the files of games are")
    for told in folder:
        step.add_argument("folder", type=Path, help=told)
    step.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")


def add_processes(step: argparse.ArgumentParser) -> None:
    """Add the option of the steps that several processes can share."""
    step.add_argument("--processes", type=read_count, default=1, metavar="N", help="[1]")


def add_later(step: argparse.ArgumentParser) -> None:
    """Add the option of the steps that label positions."""
    step.add_argument(
        "--lambda",
        dest="later",
        type=read_share,
        default=LATER,
        metavar="L",
        help="the weight of what followed a position in the game, from 0 (only its score) "
        f"to 1 (only the result) [{LATER}]",
    )


def add_techniques(step: argparse.ArgumentParser) -> None:
    """Add the option of the steps that play games."""
    step.add_argument(
        "--without",
        default="",
        metavar="A+B",
        help="techniques that the games' search does without, such as network",
    )


def add_fit(parser: argparse.ArgumentParser) -> None:
    """Add how a network is fitted."""
    parser.add_argument(
        "--epochs", type=read_count, default=EPOCHS, metavar="N", help=f"[{EPOCHS}]"
    )
    parser.add_argument(
        "--rate", type=read_rate, default=RATE, metavar="R", help=f"how fast it is fitted [{RATE}]"
    )
    parser.add_argument(
        "--decay",
        type=read_decay,
        default=DECAY,
        metavar="D",
        help=f"how strongly its weights are pulled towards 0 [{DECAY}]",
    )
