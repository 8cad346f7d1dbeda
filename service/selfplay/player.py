"""The players of a match: this process's search with certain settings, or another engine."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol, TypeAlias

from engine.described_error import DescribedError
from engine.errors import InvalidLimits
from engine.position import Action, Position
from engine.search import Limits, Parameters, Search, Techniques
from engine.search.time_management import TimeLeft
from engine.variant import Variant
from service.computer.choosing import Chooser, Views
from service.computer.levels import LEVELS, Level
from service.helpers import MOST_THREADS
from service.helpers.pool import HelperPool
from service.protocol.process import EngineProcess
from service.selfplay.clock import ClockSetting, PlayerClock, read_clock

Timer: TypeAlias = Callable[[], float]
"""Returns seconds; only differences mean anything."""


class BadPlayer(DescribedError, ValueError):
    """A description that does not describe a player; `reason` says why."""

    message = "{reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a player.

    `threads` threads search at the same time (`service.helpers`). `off` and `on` are techniques
    switched off and on against the variant's own choice; `parameters` are names and values that
    replace the variant's own. `command` starts another engine that speaks the protocol; None means
    this process's search. With `level` it is the computer's player of that level, by its nodes, and
    no other setting counts. With a `clock`, any `limits` hold as well.
    """

    limits: Limits | None = field(default_factory=lambda: Limits(nodes=5_000))
    table_mebibytes: int = 8
    threads: int = 1
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()
    command: str | None = None
    level: Level | None = None
    clock: ClockSetting | None = None

    def find_parameters(self, variant: Variant) -> Parameters:
        """The parameters in use in a variant."""
        return replace(variant.parameters, **dict(self.parameters))

    def techniques(self, variant: Variant) -> Techniques:
        """The techniques in use in a variant."""
        techniques = variant.techniques
        for name in self.off:
            techniques = techniques.without(name)
        return replace(techniques, **dict.fromkeys(self.on, True))


def read_setting(text: str) -> Setting:
    """The setting that `key=value` words describe.

    `nodes`, `depth` and `seconds` are limits for each action (5,000 nodes if none is given),
    `table` is in MiB, `threads` is the number of threads that search at the same time, `without`
    and `with` name techniques joined by `+`, `set` gives parameters their values (`NAME:VALUE`,
    joined by `+`), `engine` is a command; `clock` and `fraction` are those of `read_clock`;
    `level`, which must be the only word, is the number of one of the computer's players. Raises
    BadPlayer.

    >>> read_setting("nodes=800 depth=2 without=evaluation").off
    ('evaluation',)
    """
    values: dict[str, str] = {}
    for word in _words(text):
        key, equals, value = word.partition("=")
        if not equals or key in values or key not in _KEYS:
            raise BadPlayer(f"{word!r} is none of {', '.join(f'{key}=' for key in _KEYS)}")
        values[key] = value
    if values.keys() > {"level"}:
        raise BadPlayer("level= defines the whole player: leave out everything else")
    try:
        setting = Setting(
            _limits(values),
            int(values.get("table", "8")),
            int(values.get("threads", "1")),
            _names(values.get("without")),
            _names(values.get("with")),
            _parameters(values.get("set")),
            values.get("engine"),
            _level(values.get("level")),
            _clock(values),
        )
    except (ValueError, InvalidLimits) as error:
        raise BadPlayer(str(error)) from error
    if not 1 <= setting.table_mebibytes <= 4096:
        raise BadPlayer("table must be from 1 to 4096 MiB")
    if not 1 <= setting.threads <= MOST_THREADS:
        raise BadPlayer(f"threads must be from 1 to {MOST_THREADS}")
    return setting


_LIMITS = ("nodes", "depth", "seconds")
_PLAYERS = ("table", "threads", "without", "with", "set", "engine", "level")
_KEYS = (*_LIMITS, "clock", "fraction", *_PLAYERS)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadPlayer(str(error)) from error


def _limits(values: dict[str, str]) -> Limits | None:
    if not values.keys() & set(_LIMITS):
        return None if "clock" in values else Limits(nodes=5_000)
    return Limits(
        int(values["depth"]) if "depth" in values else None,
        int(values["nodes"]) if "nodes" in values else None,
        float(values["seconds"]) if "seconds" in values else None,
    )


def _clock(values: dict[str, str]) -> ClockSetting | None:
    if "clock" not in values:
        if "fraction" in values:
            raise ValueError("fraction needs a clock")
        return None
    return read_clock(values["clock"], values.get("fraction"))


def _level(text: str | None) -> Level | None:
    if text is None:
        return None
    known = {str(level.number): level for level in LEVELS}
    if text not in known:
        raise ValueError(f"level is one of {', '.join(known)}")
    return known[text]


def _names(text: str | None) -> tuple[str, ...]:
    names = tuple(text.split("+")) if text else ()
    for name in names:
        Techniques().without(name)  # ValueError names an unknown one
    return names


def _parameters(text: str | None) -> tuple[tuple[str, int], ...]:
    pairs = [pair.partition(":") for pair in text.split("+")] if text else []
    for name, _, value in pairs:
        Parameters().with_value(name, int(value))  # ValueError names an unknown one
    return tuple((name, int(value)) for name, _, value in pairs)


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
        timed = self.clock.find_limits(self._variant, position)
        if self._limits is None:
            return timed
        return replace(self._limits, budget=timed.budget, seconds=timed.seconds)

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
        return self.clock.find_limits(self._variant, position), None

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
