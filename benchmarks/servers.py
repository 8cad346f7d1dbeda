"""Comparing server programs that can be embedded: `python -m benchmarks.servers PROGRAM…`.

Each program is started with the settings that `movelog serve` gives it, and the same games are
appended to all of them through the log, event by event, each append synced to the disk. They take
turns game by game, each game beginning with the next program. The figure is the ratio of the rates
in one round. Memory is measured with all the games in the store.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scoring import played_games
from benchmarks.server import Redis
from benchmarks.turns import progress
from service.composition.service import CODEC, now
from service.game.repository import stream_of
from service.ids import new_id
from service.log.chain import chain_events
from service.log.redis import RedisEventLog
from service.log.values import GENESIS, Append
from service.operations.errors import NoRedisServer
from service.operations.server_program import ServerProgram, examine_program

HELD = 1000
"""How many games are in the stores before anything is timed."""
ROUNDS = 20
GAMES = 40
"""How many games a round has."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The results for a program; the rates are appends a second, one for each round."""

    program: ServerProgram
    allocator: str
    rates: Sequence[float]
    first: Measured | None
    data: int
    resident: int

    @property
    def ratios(self) -> list[float]:
        """Its rate to that of the first program, round by round."""
        base = self.rates if self.first is None else self.first.rates
        return [own / other for own, other in zip(self.rates, base, strict=True)]

    def __str__(self) -> str:
        ratios = self.ratios
        return (
            f"{self.program} ({self.allocator})\n"
            f"    {statistics.median(self.rates):.0f} appends/s, "
            f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})\n"
            f"    data {self.data / 2**20:.1f} MiB, resident {self.resident / 2**20:.1f} MiB"
        )


def compare(
    programs: Sequence[ServerProgram], held: int = HELD, rounds: int = ROUNDS, games: int = GAMES
) -> list[Measured]:
    """Measure the programs in turn; the first one is what the others are compared with."""
    with ExitStack() as stack:
        stores = [stack.enter_context(Redis(program)) for program in programs]
        logs = [RedisEventLog(store.client, CODEC) for store in stores]
        # The first game loads the script and what it needs; the data comes on top of that.
        fill(logs, 1)
        empty = [store.memory for store in stores]
        fill(logs, held)
        made = [play_round(logs, games) for _ in progress(range(rounds), "append in turn")]
        measured: list[Measured] = []
        for store, before, own in zip(stores, empty, zip(*made, strict=True), strict=True):
            first = measured[0] if measured else None
            data = store.memory - before
            measured.append(
                Measured(store.program, store.allocator, own, first, data, store.resident)
            )
    return measured


def iter_games(games: int) -> Iterator[list[Append]]:
    """Ended games of all variants in turn, with one append for each event, as in play."""
    for _, played in itertools.islice(played_games(), games):
        stream, at, players = stream_of(new_id()), now(), (new_id(), new_id())
        yield [
            Append(
                stream=stream,
                expected=entry.version - 1,
                events=[entry.event],
                at=at,
                by=players[0],
                head=entry.previous,
                audience=players,
                chained=[entry],
            )
            for entry in chain_events(stream, 0, played, at, players[0], GENESIS)
        ]


def fill(logs: Sequence[RedisEventLog], games: int) -> None:
    """Append games to every log, each game's events at once."""
    for game in iter_games(games):
        for log in logs:
            for made in log.append_each(game):
                if isinstance(made, Exception):
                    raise made


def play_round(logs: Sequence[RedisEventLog], games: int) -> list[float]:
    """Append the same games to every log, event by event; return the appends a second of each."""
    spent, count = [0.0] * len(logs), 0
    for number, game in enumerate(iter_games(games)):
        for place in range(len(logs)):
            which = (number + place) % len(logs)
            begun = time.perf_counter()
            for request in game:
                logs[which].append(request)
            spent[which] += time.perf_counter() - begun
        count += len(game)
    return [count / seconds for seconds in spent]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.servers",
        description="Compare server programs: rate of appends, by the first's, and memory.",
    )
    made.add_argument(
        "programs",
        nargs="+",
        type=Path,
        metavar="PROGRAM",
        help="the path of a redis-server or valkey-server, 6.2 or newer",
    )
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare the named programs and print the results."""
    command_line = parser()
    try:
        programs = [examine_program(path) for path in command_line.parse_args(arguments).programs]
    except OSError as error:
        command_line.error(f"{error.filename} cannot be run: {error.strerror}")
    except NoRedisServer as refused:
        command_line.error(str(refused))
    print(f"{HELD} games in each, then {ROUNDS} rounds of {GAMES} games, appended event by event")
    for measured in compare(programs):
        print(measured)


if __name__ == "__main__":
    main()
