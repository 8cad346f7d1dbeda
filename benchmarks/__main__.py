"""`python -m benchmarks [NAME…]`: measure, print a report, exit 1 where a bar is missed."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks import (
    acting,
    analysing,
    analysis_overhead,
    archive_growth,
    archiving,
    board,
    computer_load,
    costs,
    counting_games,
    deepening,
    exporting,
    following,
    idle,
    importing,
    levels,
    listing,
    memory,
    perft,
    projecting,
    read_requests,
    reading,
    replaying,
    scoring,
    searching,
    spectators,
    starting,
    submitting,
    tables,
    threads,
    watching,
)
from benchmarks.turns import Measurement
from engine.registry import VARIANTS

ROUNDS = 5
TITLES = {"katruji": "Katruji", "kerak": "Kerak", "kerd": "Kerd", "kerd-draft": "Kerd Draft"}

KATRUJI = perft.PerftCase("katruji", ("1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1",), 4)
# With both armies placed and nothing captured, it is move 19.
PLACED = tuple(fen for fen in perft.listed("kerak", 3) if fen.endswith(" - 0-0 19"))
KERAK = perft.PerftCase("kerak", PLACED, 3)
# The start, with its executions, and the middle of a game, with much to bring back.
KERD = perft.PerftCase(
    "kerd",
    tuple(fen for fen in perft.listed("kerd", 3) if fen.endswith(("?/? 0 - 1", " 50"))),
    3,
)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Something to measure: what it shows, in a sentence, and the function for its figures."""

    shows: str
    figures: Callable[[], Iterable[Measurement]]


BENCHMARKS: dict[str, Benchmark] = {
    "perft-katruji": Benchmark(
        "Katruji's positions counted: compiled, pure, and chess by python-chess.",
        lambda: perft.figures(KATRUJI, deeper=1, chess_bar=10, rounds=ROUNDS),
    ),
    "perft-kerak": Benchmark(
        "Kerak's positions counted: compiled, pure, and chess by python-chess.",
        lambda: perft.figures(KERAK, deeper=1, chess_bar=5, rounds=ROUNDS),
    ),
    "perft-kerd": Benchmark(
        "Kerd's positions counted: compiled, pure, and chess by python-chess.",
        lambda: perft.figures(KERD, deeper=1, chess_bar=10, rounds=ROUNDS),
    ),
    "projecting": Benchmark(
        "Imported games projected into SQLite, handed over and read from the log.",
        projecting.figures,
    ),
    "replay": Benchmark(
        "Parsed actions replayed, against python-chess's push.",
        lambda: [replaying.figure(name, ROUNDS) for name in VARIANTS],
    ),
    "read": Benchmark(
        "Records read, replayed and judged, against python-chess's read_game.",
        lambda: [reading.figure(name, ROUNDS) for name in VARIANTS],
    ),
    **{
        f"search-{name}": Benchmark(
            f"Nodes a second in {title}, and what each technique of the search saves.",
            partial(deepening.figures, name, rounds=3),
        )
        for name, title in TITLES.items()
    },
    "search-threads": Benchmark(
        "Nodes a second of two threads against one, and the time to a depth; needs two idle cores.",
        lambda: [one for name in VARIANTS for one in threads.figures(name, ROUNDS)],
    ),
    "submit": Benchmark(
        "Actions submitted over HTTP, against a bare server that only appends.",
        lambda: submitting.rates(ROUNDS),
    ),
    "reads": Benchmark(
        "Games, legal actions and lists over HTTP, against a bare server that has the bytes.",
        lambda: read_requests.figures(ROUNDS),
    ),
    "costs": Benchmark(
        "What requests cost by clients, games in memory and plies; with pictures for docs/.",
        costs.figures,
    ),
    "act": Benchmark(
        "Actions in many games in one request, against one request each.",
        lambda: acting.figures(ROUNDS),
    ),
    "follow": Benchmark(
        "All games' events read by a mirror that catches up, against reading the log.",
        lambda: following.figures(ROUNDS),
    ),
    "watching": Benchmark(
        "What a watcher costs at each ply: of 200, against an earlier revision, and of 2,000.",
        lambda: [*watching.figures(rounds=3), *spectators.figures()],
    ),
    "idle": Benchmark(
        "What a web process takes of a core while nothing happens, with each store.", idle.figures
    ),
    "start": Benchmark(
        "The whole service started, in turn with an earlier revision.", starting.figures
    ),
    "late-moves": Benchmark(
        "Late moves in a long game, against its first ones.",
        lambda: [submitting.late_moves(games=5)],
    ),
    "import": Benchmark(
        "A file imported through the service, against reading it offline.",
        lambda: importing.figures(rounds=3),
    ),
    "export": Benchmark(
        "An archive exported over HTTP, against reading the same bytes from Redis.",
        lambda: exporting.figures(rounds=3),
    ),
    "export-parquet": Benchmark(
        "20,000 games exported as a Parquet file, against a tenth: rate and memory.",
        tables.figures,
    ),
    "search": Benchmark(
        "Questions to 200,000 games against 10,000, the explorer against a bare read, the disk.",
        searching.figures,
    ),
    "memory": Benchmark("What a game takes of Redis's memory.", memory.figures),
    "archiving": Benchmark(
        "A played game in Redis, against the same in the object store.", archiving.figures
    ),
    "archive-growth": Benchmark(
        "Redis's memory while games are played and archived, thousand after thousand.",
        archive_growth.figures,
    ),
    "listing": Benchmark(
        "What a ply costs the projector while many games are played, against few.", listing.figures
    ),
    "analysis": Benchmark(
        "Analyses by two workers, against one.", lambda: analysing.figures(rounds=3)
    ),
    "analysis-overhead": Benchmark(
        "What a position of a whole game's analysis costs beside its search.",
        lambda: analysis_overhead.figures(rounds=5),
    ),
    "board": Benchmark(
        "Two players' pages in Chromium, against those of an earlier revision.", board.figures
    ),
    "computer-load": Benchmark(
        "Twenty games against the computer at once: its answers in time, the web as fast.",
        lambda: computer_load.figures(rounds=7),
    ),
    "levels": Benchmark(
        "The computer's levels, each against the last but one, in every game.",
        levels.figures,
    ),
    "scoring": Benchmark(
        "Ended games scored by the service's own processes, one job for many.", scoring.figures
    ),
    "tally": Benchmark(
        "Finished games scored and tallied, against the bare appends of it.", counting_games.figures
    ),
}

STATUSES = "exit status: 0, 1 where a bar is missed, 2 for a wrong name"


def parser() -> argparse.ArgumentParser:
    """The command line; its help has a line for each benchmark."""
    width = max(map(len, BENCHMARKS))
    listed = "\n".join(f"  {name:{width}}  {one.shows}" for name, one in BENCHMARKS.items())
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure each candidate beside its baseline and print the ratios.",
        epilog=f"benchmarks:\n{listed}\n\n{STATUSES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("names", nargs="*", metavar="NAME", help="what to measure (default: all)")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named benchmarks, or all of them, and return the exit status."""
    command_line = parser()
    names = command_line.parse_args(arguments).names or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            command_line.error(f"no benchmark {name!r}: choose from {', '.join(BENCHMARKS)}")
    print(f"Python {platform.python_version()} on {platform.machine()}")
    missed = 0
    for name in names:
        for figure in BENCHMARKS[name].figures():
            print(figure, flush=True)
            missed += figure.met is False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
