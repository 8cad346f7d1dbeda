"""Twenty games against the computer at once: its moves are in time, and the web is no slower.

People move at once, directly in the log, in blitz games of every variant. Requests to the web are
timed in rounds, alternating games against the computer's strongest level with games against people
who answer as fast.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from typing import Final, NamedTuple

from benchmarks.importing import program
from benchmarks.server import GunicornServer, Redis
from benchmarks.submitting import KeptConnection, long_game, new_game, register
from benchmarks.turns import Measurement, progress
from engine.outcome import Termination
from engine.registry import VARIANTS
from engine.side import Side
from notation.registry import find_dialect
from service.composition.service import Service, compose
from service.computer.levels import LEVELS
from service.game.commands import AcceptChallenge, CreateGame, PlayAction
from service.game.redaction import STRANGER, seen_actions
from service.game.state import GameState
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.settings import read_settings
from workers.computer.thinking import NICENESS
from workers.computer.turns import find_turn

GAMES: Final = 20
SECONDS: Final = 5.0
"""Seconds of a round."""
TIME_CONTROL: Final = "180+2"
IN_TIME: Final = 250
"""Milliseconds by which an answer may be late, beyond the time for thinking."""
WORSE: Final = 1.2
"""How much slower the slowest of a hundred requests may be."""


class Opponents(NamedTuple):
    """The opponents of a round: who has the second side, and whether that is the computer."""

    second: str
    is_computer: bool


COMPUTER: Final = Opponents(LEVELS[-1].player, True)
PERSON: Final = Opponents("friend", False)
"""A person who answers after the computer's thinking time, so that all else is the same."""


class People:
    """Twenty people, who play one game after the other with each kind of opponent.

    `late` says how many milliseconds after its time each of the computer's answers came.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.late: list[int] = []
        self.lost_on_time = 0
        self._numbers = count()
        self._games: dict[tuple[int, Opponents], str] = {}
        self._due: dict[tuple[str, int], int] = {}
        self._random = Random(1)

    def carry_on(self, number: int, opponents: Opponents) -> None:
        """Move in a game if it is time to, or begin another."""
        game = self._games.get((number, opponents))
        state = None if game is None else self.service.games.find(game)
        if state is None or state.ending is not None:
            lost = state is not None and state.ending and state.ending.termination
            self.lost_on_time += lost == Termination.TIME_FORFEIT
            self._games[number, opponents] = self._begin(number, opponents)
            return
        self._note(state)
        if state.to_act is Side.FIRST:
            after = self._move(state)
            turn = find_turn(after, 0)
            if turn is not None:
                self._due[state.id, len(after.played)] = turn.answer_at
        elif not opponents.is_computer and state.to_act is Side.SECOND:
            thinking = self.service.games.clock() - state.updated_at
            if thinking >= 1000 * LEVELS[-1].seconds:
                self._move(state)

    def _move(self, state: GameState) -> GameState:
        action = self._random.choice(seen_actions(state, STRANGER))
        token = find_dialect(state.variant).coordinate(action)
        player = state.seats[state.position.side]
        actor = Actor(str(player), frozenset({PLAY}))
        return self.service.games.execute(state.id, PlayAction(token=token), actor).state

    def _note(self, state: GameState) -> None:
        """Record by how much the computer's newest answer was late."""
        for ply, played in enumerate(state.played):
            due = self._due.pop((state.id, ply), None)
            if due is not None:
                self.late.append(played.at - due)

    def _begin(self, number: int, opponents: Opponents) -> str:
        """Begin a game without secrets, in one variant after the other."""
        begun = next(self._numbers)
        variant = list(VARIANTS.values())[begun % len(VARIANTS)]
        command = CreateGame(
            variant=variant.name,
            mode="challenge",
            first=f"person{number}",
            second=opponents.second,
            secret_choice="none" if variant.secret_choice else None,
            time_control=TIME_CONTROL,
        )
        games, game = self.service.games, f"g{begun}"
        games.create(game, command, Actor(f"person{number}", frozenset({PLAY})))
        if not opponents.is_computer:
            friend = Actor(opponents.second, frozenset({PLAY}))
            games.execute(game, AcceptChallenge(), friend)
        return game


def play_people(environment: dict[str, str], orders: Connection) -> None:
    """Play against the opponents last ordered; at None, send what was seen, and end."""
    people = People(compose(read_settings(environment)))
    opponents: Opponents | None = COMPUTER
    while opponents is not None:
        if orders.poll(0.05):
            opponents = orders.recv()
            continue
        for number in range(GAMES):
            people.carry_on(number, opponents)
    orders.send((people.late, people.lost_on_time))


def figures(rounds: int) -> Iterator[Measurement]:
    """How late the answers were, and the web's slowest requests with the computer and without."""
    spawning = get_context("spawn")
    actions = long_game(400, 1)
    ratios: list[tuple[float, float, float]] = []
    bare: list[float] = []
    with Redis() as store, GunicornServer("service.operations.wsgi:app", store) as web:
        own = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        client = KeptConnection(web.port, register(web.port))
        orders, theirs = spawning.Pipe()
        with program(store, "workers", "computer"):
            people = spawning.Process(target=play_people, args=(own, theirs), daemon=True)
            people.start()
            time.sleep(2 * SECONDS)
            for _ in progress(range(rounds), f"{GAMES} games against the computer, or people"):
                busy = time_requests(client, actions)
                orders.send(PERSON)
                # The computer first answers the turns that it is thinking about.
                time.sleep(SECONDS)
                idle = time_requests(client, actions)
                with spinning():
                    spun = time_requests(client, actions)
                orders.send(COMPUTER)
                ratios.append((busy / idle, busy, idle))
                bare.append(spun / idle)
                time.sleep(SECONDS)
            orders.send(None)
            late, lost = orders.recv()
            people.join()
    yield from report(late, lost, ratios, bare)


@contextmanager
def spinning() -> Iterator[None]:
    """A process that loops at a search's low priority and touches no memory.

    Its cost to others comes from the machine: cores share hardware.
    """
    process = get_context("spawn").Process(target=spin, daemon=True)
    process.start()
    time.sleep(1)
    try:
        yield
    finally:
        process.kill()
        process.join()


def spin() -> None:
    """Use a core for as long as nothing else wants it."""
    os.nice(NICENESS)
    while True:
        pass


def report(
    late: list[int],
    lost: int,
    ratios: list[tuple[float, float, float]],
    bare: Sequence[float],
) -> Iterator[Measurement]:
    """The two measurements; `bare` are the ratios of the rounds with a bare loop for the search."""
    slowest = statistics.quantiles(late, n=100)[98]
    yield Measurement(
        f"{GAMES} blitz games at once against level {LEVELS[-1].number}: answers after their time",
        f"{len(late)} answers, half at most {statistics.median(late):.0f} ms late, 99 of 100 at"
        f" most {slowest:.0f} ms",
        f"{lost} games lost on time; {IN_TIME} ms are in time",
        slowest / IN_TIME,
        bar=1.0,
        most=True,
    )
    ratio, busy, idle = sorted(ratios)[len(ratios) // 2]
    yield Measurement(
        "the slowest of a hundred requests meanwhile, against the same games between people",
        f"with the computer {1000 * busy:.1f} ms",
        f"without {1000 * idle:.1f} ms; ratios of the rounds "
        + ", ".join(f"{each:.2f}" for each, _, _ in ratios)
        + f"; with a bare loop in place of the search {statistics.median(bare):.2f}",
        ratio,
        bar=WORSE,
        most=True,
    )


def time_requests(client: KeptConnection, actions: Sequence[str]) -> float:
    """The seconds within which 99 of 100 requests were answered, sent for SECONDS."""
    path, times = new_game(client), []
    ends = time.perf_counter() + SECONDS
    for action in actions:
        begun = time.perf_counter()
        if begun > ends:
            break
        client.post(path, {"action": action})
        times.append(time.perf_counter() - begun)
        time.sleep(0.01)
    return statistics.quantiles(times, n=100)[98]
