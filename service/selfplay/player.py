"""The players of a match: this process's search with certain settings, or another engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from random import Random
from typing import Protocol, TypeAlias

from engine.position import Action, Position
from engine.search import Limits, Search
from engine.search.time_management import TimeLeft
from engine.variant import Variant
from service.computer.choosing import Chooser, Views
from service.computer.levels import Level
from service.helpers.pool import HelperPool
from service.protocol.process import EngineProcess
from service.selfplay.clock import PlayerClock
from service.selfplay.setting import Setting

Timer: TypeAlias = Callable[[], float]
"""Returns seconds; only differences mean anything."""


class Player(Protocol):
    """One side of one game; `nodes` and `seconds` are what it has used so far.

    It has a `clock`, or none, from which `choose` takes its time.
    """

    seconds: float
    clock: PlayerClock | None

    @property
    def nodes(self) -> int:
        """The number of nodes that it has searched."""

    def choose(self, position: Position) -> Action:
        """An action for a position that is not over."""

    def close(self) -> None:
        """End the game."""


class Searcher:
    """The search of this process; its seconds are those of `timer`, without those of helpers."""

    def __init__(self, variant: Variant, setting: Setting, seed: int, timer: Timer) -> None:
        self.nodes = 0
        self.seconds = 0.0
        self.clock = make_clock(setting)
        self._timer = timer
        self._variant = variant
        self._limits = setting.limits
        self._helpers = HelperPool(setting.threads)
        self._search = Search(
            variant,
            table_mebibytes=setting.table_mebibytes,
            seed=seed,
            techniques=setting.techniques(variant),
            parameters=setting.find_parameters(variant),
            draw_by_points=variant.draw_by_points,
            clock=timer,
            helpers=self._helpers,
        )
        self._helpers.wait()

    def choose(self, position: Position) -> Action:
        """The best action of the deepest iteration."""
        begun = self._timer()
        *_, last = self._search.iterate(position, self._find_limits(position))
        seconds = self._timer() - begun
        self.nodes += last.nodes
        self.seconds += seconds
        if self.clock is not None:
            self.clock.spend(seconds)
        return last.lines[0].actions[0]

    def _find_limits(self, position: Position) -> Limits:
        """The limits for an action: the setting's, and those of the clock."""
        if self.clock is None:
            assert self._limits is not None
            return self._limits
        return self.clock.find_limits(self._variant, position, self._limits)

    def close(self) -> None:
        """End the helpers."""
        self._helpers.close()


class LevelPlayer:
    """The computer's player of a level; it knows only as much of the position as in a real game.

    Time plays no part, so that a match can be repeated; its seconds are processor time.
    """

    def __init__(self, variant: Variant, level: Level, seed: int) -> None:
        self.seconds = 0.0
        self.clock: PlayerClock | None = None
        self._variant = variant
        self._chooser = Chooser(variant, level, variant.draw_by_points)
        self._random = Random(seed)

    @property
    def nodes(self) -> int:
        """The number of nodes searched so far."""
        return self._chooser.nodes

    def choose(self, position: Position) -> Action:
        """An action as the computer chooses it, with as much time as its nodes need."""
        begun = time.process_time()
        views = Views.of(self._variant, position)
        action = self._chooser.choose(views, self._random.getrandbits(64), float("inf"))
        self.seconds += time.process_time() - begun
        return action

    def close(self) -> None:
        """Do nothing: nothing outlives a game."""


class OtherEngine:
    """An engine in its own process; its seconds are wall-clock time."""

    def __init__(self, variant: Variant, setting: Setting, command: str, seed: int) -> None:
        self.nodes = 0
        self.seconds = 0.0
        self.clock = make_clock(setting)
        self._variant = variant
        self._limits = setting.limits
        self._process = EngineProcess(
            command,
            variant,
            Hash=setting.table_mebibytes,
            Seed=seed & 0x7FFFFFFF,
            draw_by_points=variant.draw_by_points,
            # An engine from before there were threads is not sent that option.
            **({"Threads": setting.threads} if setting.threads > 1 else {}),
        )

    def choose(self, position: Position) -> Action:
        """The engine's answer; raises EngineFailed."""
        begun = time.monotonic()
        action = self._process.choose(position, *self._find_limits(position))
        seconds = time.monotonic() - begun
        self.seconds += seconds
        if self.clock is not None:
            self.clock.spend(seconds)
        self.nodes += self._process.nodes
        return action

    def _find_limits(self, position: Position) -> tuple[Limits | None, TimeLeft | None]:
        """The limits for an action, and the time left on the clock if the engine can use it."""
        if self.clock is None:
            return self._limits, None
        if self.clock.setting.fraction is None:
            return self._limits, self.clock.time
        return self.clock.find_limits(self._variant, position, self._limits), None

    def close(self) -> None:
        """End the engine's process."""
        self._process.close()


def make_clock(setting: Setting) -> PlayerClock | None:
    """The clock of a player in one game."""
    return None if setting.clock is None else PlayerClock(setting.clock)


def choose_timer(players: Iterable[Setting]) -> Timer:
    """Processor time, or wall-clock time if a player is another program, which measures that.

    Otherwise other work on the machine would slow only one of the players down.
    """
    others = any(player.command is not None for player in players)
    return time.monotonic if others else time.process_time


def make_player(
    variant: Variant, setting: Setting, seed: int, timer: Timer = time.process_time
) -> Player:
    """A player of one game; raises EngineFailed for an engine that cannot be started."""
    if setting.level is not None:
        return LevelPlayer(variant, setting.level, seed)
    if setting.command is None:
        return Searcher(variant, setting, seed, timer)
    return OtherEngine(variant, setting, setting.command, seed)
