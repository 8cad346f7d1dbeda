"""What requests cost along three scales: concurrent clients, games in memory, plies of a game.

Services run as `movelog serve` runs them: a web process, and a Redis that syncs every write. All
games are in progress and have the same actions. The steps of a scale are measured in turn, and the
medians reported, so that whatever else the machine does affects them alike.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.crowd import Cost, ask, combine, connect, measure
from benchmarks.open_games import OpenGame, Running, list_actions, run_service
from benchmarks.submitting import VARIANT
from benchmarks.turns import progress
from engine.registry import find_variant
from notation.registry import find_dialect
from service.composition.service import Service, compose
from service.game.evolve import fold
from service.settings import read_settings

RECORD: Final = "application/x-chess-pgn"
READ_GAMES: Final = 8
"""How many games are read repeatedly."""
LEAST: Final = 0.1
"""The least seconds of processor time that are measured in this process."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How far each scale goes, and what it is measured with."""

    clients: Sequence[int] = (1, 10, 100)
    games: Sequence[int] = (1, 100, 1_000, 10_000)
    plies: Sequence[int] = (10, 100, 500, 2_000)
    rounds: int = 5
    """How often each step is measured, after one round to warm up."""
    seconds: float = 0.7
    """The longest time that clients send requests."""
    pool: int = 100
    """Games that clients play."""
    long_games: int = 50
    """Games of each length."""
    early: int = 10
    """Plies of the games in memory."""
    asked: int = 200
    """The most actions of a client in a round, where games have to keep their lengths."""
    each: int = 20
    """The same for one game."""


QUICK: Final = Sizes((1, 3), (1, 20), (10, 40), rounds=1, seconds=0.2, pool=10, long_games=3)


@dataclass(frozen=True, slots=True)
class Usual:
    """What the usual requests cost."""

    submit: Cost
    """An action."""
    read: Cost
    """Reading the same games repeatedly."""
    anew: Cost
    """Reading a game when no answer is cached."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The bytes that Redis uses, and those that the web process holds."""

    store: int
    web: int


@dataclass(frozen=True, slots=True)
class Whole:
    """Milliseconds that a whole game costs."""

    export: float
    """By the clock, as a record over HTTP."""
    fold: float
    """Of processor time, to read it from the log and fold it."""
    replay: float
    """Of processor time, from its actions' texts."""


class Step:
    """One step of a scale: its clients, and the games that they play and read."""

    def __init__(
        self, running: Running, clients: int, games: Sequence[OpenGame], most: int | None = None
    ) -> None:
        """A client plays `most` actions in a round, or as many as it can."""
        self.running = running
        self.clients = clients
        self.games = games
        self.most = most
        # No two clients play the same game.
        self._acts = [
            map(running.act, iterate_randomly(games[at::clients])) for at in range(clients)
        ]

    def measure(self, seconds: float) -> Usual:
        """What the usual requests cost now."""
        running, count = self.running, self.clients
        acts = [itertools.islice(own, self.most) for own in self._acts]
        reads = [map(running.read, itertools.cycle(self.games[:READ_GAMES])) for _ in range(count)]
        anew = [map(running.read_anew, iterate_randomly(self.games)) for _ in range(count)]
        with connect(running.web.port, count) as clients:
            submit = measure(running.web, running.store, clients, acts, seconds)
            # Otherwise the first answers to the same request would be computed for each client.
            again = [running.read(game) for game in self.games[:READ_GAMES] for _ in range(2)]
            ask(clients[:1], [iter(again)])
            read = measure(running.web, running.store, clients, reads, seconds)
            return Usual(submit, read, measure(running.web, running.store, clients, anew, seconds))


def iterate_randomly(games: Sequence[OpenGame]) -> Iterator[OpenGame]:
    """All games in random order, repeatedly."""
    random, order = Random(1), list(games)
    while True:
        random.shuffle(order)
        yield from order


def measure_steps(steps: Mapping[int, Step], sizes: Sizes, name: str) -> dict[int, Usual]:
    """What the usual requests cost in each step: medians of rounds, in turn."""
    found: dict[int, list[Usual]] = {at: [] for at in steps}
    for _ in progress(range(sizes.rounds + 1), name):
        for at, step in steps.items():
            found[at].append(step.measure(sizes.seconds))
    return {at: find_medians(every[1:]) for at, every in found.items()}


def find_medians(rounds: Sequence[Usual]) -> Usual:
    """The medians of rounds."""
    return Usual(
        combine([one.submit for one in rounds]),
        combine([one.read for one in rounds]),
        combine([one.anew for one in rounds]),
    )


def by_clients(sizes: Sizes) -> dict[int, Usual]:
    """What usual requests cost by the number of concurrent clients, each in its own games."""
    with run_service() as running:
        games = {count: running.create(max(count, sizes.pool)) for count in sizes.clients}
        steps = {count: Step(running, count, own) for count, own in games.items()}
        return measure_steps(steps, sizes, "clients")


def by_games(sizes: Sizes) -> dict[int, tuple[Usual, Memory]]:
    """What one client's requests cost, in random games, by the number of games in memory."""
    with ExitStack() as services:
        steps = {}
        for count in sizes.games:
            running = services.enter_context(run_service())
            games = running.create(count, sizes.early)
            steps[count] = Step(running, 1, games, min(sizes.asked, sizes.each * count))
        found = measure_steps(steps, sizes, "games")
        return {count: (usual, read_memory(steps[count].running)) for count, usual in found.items()}


def read_memory(running: Running) -> Memory:
    """What a service holds now."""
    return Memory(running.store.memory, running.web.resident)


def by_plies(sizes: Sizes) -> dict[int, tuple[Usual, Whole]]:
    """What one client's requests cost by the plies of a game, and what a whole game costs."""
    with run_service() as running:
        given = {"MOVELOG_REDIS_URL": running.store.url, "MOVELOG_DATA_DIR": running.store.folder}
        service = compose(read_settings(given))
        games = {plies: running.create(sizes.long_games, plies) for plies in sizes.plies}
        whole = {plies: measure_whole(running, service, own) for plies, own in games.items()}
        most = min(sizes.asked, sizes.each * sizes.long_games)
        steps = {plies: Step(running, 1, own, most) for plies, own in games.items()}
        found = measure_steps(steps, sizes, "plies")
        return {plies: (usual, whole[plies]) for plies, usual in found.items()}


def measure_whole(running: Running, service: Service, games: Sequence[OpenGame]) -> Whole:
    """What whole games of equal length cost."""
    with connect(running.web.port, 1) as clients:
        exports = ask(clients, [(running.read(game, RECORD) for game in games)])
    one = games[0]
    return Whole(
        export=1000 * statistics.median(exports),
        fold=time_processor(lambda: fold_game(service, one.id)),
        replay=time_processor(lambda: replay(list_actions()[: one.ply])),
    )


def time_processor(work: Callable[[], object]) -> float:
    """Milliseconds of this process' processor time for `work`."""
    begun, count = time.process_time(), 0
    while time.process_time() < begun + LEAST:
        work()
        count += 1
    return 1000 * (time.process_time() - begun) / count


def fold_game(service: Service, id: str) -> None:
    """Read a game from the log and fold it, ignoring what is cached here."""
    fold(id, service.games.read(id), None)


def replay(actions: Sequence[str]) -> None:
    """Replay a game from its actions' texts."""
    texts, position = find_dialect(VARIANT), find_variant(VARIANT).start()
    for action in actions:
        position.play(texts.resolve(position, action))
