"""Games played by niced processes, file after file, until there are enough positions."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from engine.registry import find_variant
from engine.search import build_id
from service.selfplay.parent_watch import end_with_parent
from training.folder_lock import locked
from training.game_files import GameFolder, Header
from training.plan import Plan
from training.played_game import play_game

GAMES: Final = 10
"""Games in a file: at most this many are lost when a process is killed."""
NICENESS: Final = 19

Report = Callable[[Header], None]


def produce(
    folder: GameFolder,
    plan: Plan,
    variants: Sequence[str],
    positions: int,
    processes: int,
    report: Report = lambda header: None,
) -> None:
    """Play until each variant has `positions` positions with a score.

    The next file is always for the variant that has the fewest. A file's games depend only on the
    plan, its variant and its number, so that a run after a kill plays the same games, beginning
    with the missing files. Raises OtherPlan, OtherBuild, FolderInUse.
    """
    with locked(folder.path):
        folder.begin(plan)
        counted = {
            name: sum(header.positions for header in folder.headers(name)) for name in variants
        }
        numbers = {name: _missing(folder.numbers(name)) for name in variants}
        gaps = {name: _count_gaps(folder.numbers(name)) for name in variants}

        def wanting() -> list[str]:
            return [name for name in variants if gaps[name] or counted[name] < positions]

        running: dict[Future[Header], str] = {}
        with ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin_process,
        ) as pool:
            try:
                while running or wanting():
                    while (names := wanting()) and len(running) < processes:
                        name = min(names, key=lambda one: _expected(counted, running, one))
                        gaps[name] -= gaps[name] > 0
                        done = pool.submit(play_file, folder.path, plan, name, next(numbers[name]))
                        running[done] = name
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        header = done.result()
                        del running[done]
                        counted[header.variant] += header.positions
                        report(header)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def play_file(path: Path, plan: Plan, variant: str, number: int) -> Header:
    """Play the games of one file and write it."""
    game = find_variant(variant)
    random = Random(f"{plan.seed} {variant} {number}")
    games = [play_game(game, plan, random) for _ in range(GAMES)]
    positions = sum(played.searched for played in games)
    header = Header(variant, game.rules, build_id(), number, len(games), positions)
    GameFolder(path).write(header, games)
    return header


def _begin_process() -> None:
    """Lower this process' priority, and end it with its parent, however that ends."""
    os.nice(NICENESS)
    end_with_parent()
    build_id()  # read now, while the sources are those that were imported


def _missing(numbers: set[int]) -> Iterator[int]:
    """The numbers from 0 on that are missing."""
    return (number for number in count() if number not in numbers)


def _count_gaps(numbers: set[int]) -> int:
    """How many numbers below the highest are missing."""
    return max(numbers, default=-1) + 1 - len(numbers)


def _expected(counted: dict[str, int], running: dict[Future[Header], str], name: str) -> int:
    """A variant's positions, counting about a file's worth for each that is being played."""
    return counted[name] + 50 * GAMES * list(running.values()).count(name)
