"""The players of a match: this process's search with some settings, or another engine."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

from engine.described_error import DescribedError
from engine.errors import InvalidLimits
from engine.position import Action, Position
from engine.search import Limits, Search, Techniques
from engine.variant import Variant
from service.computer.choosing import Chooser, Views
from service.computer.levels import LEVELS, Level
from service.helpers import MOST_THREADS
from service.helpers.pool import HelperPool
from service.protocol.process import EngineProcess


class BadPlayer(DescribedError, ValueError):
    """A description of a player that means none; `reason` says why."""

    message = "{reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a player.

    So many `threads` search at the same time (`service.helpers`). `off` and `on` are techniques
    switched off and on against the variant's own choice; `command` is that of another engine that
    speaks the protocol, None for this one's search. With `level` it is the computer's player of
    that level, by its nodes, and nothing else counts.
    """

    limits: Limits = field(default_factory=lambda: Limits(nodes=5_000))
    table_mebibytes: int = 8
    threads: int = 1
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    command: str | None = None
    level: Level | None = None

    def techniques(self, variant: Variant) -> Techniques:
        """The techniques in use in a variant."""
        techniques = variant.techniques
        for name in self.off:
            techniques = techniques.without(name)
        return replace(techniques, **dict.fromkeys(self.on, True))


def read_setting(text: str) -> Setting:
    """The setting that `key=value` words describe.

    `nodes`, `depth` and `seconds` are limits for each action (5,000 nodes if none is given),
    `table` is in MiB, `threads` search at the same time, `without` and `with` name techniques
    joined by `+`, `engine` is a command; `level`, which stands alone, is the number of one of the
    computer's players. Raises BadPlayer.

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
        raise BadPlayer("level= stands alone: it says all of a player")
    try:
        setting = Setting(
            _limits(values),
            int(values.get("table", "8")),
            int(values.get("threads", "1")),
            _names(values.get("without")),
            _names(values.get("with")),
            values.get("engine"),
            _level(values.get("level")),
        )
    except (ValueError, InvalidLimits) as error:
        raise BadPlayer(str(error)) from error
    if not 1 <= setting.table_mebibytes <= 4096:
        raise BadPlayer("table is from 1 to 4096 MiB")
    if not 1 <= setting.threads <= MOST_THREADS:
        raise BadPlayer(f"threads is from 1 to {MOST_THREADS}")
    return setting


_KEYS = ("nodes", "depth", "seconds", "table", "threads", "without", "with", "engine", "level")


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadPlayer(str(error)) from error


def _limits(values: dict[str, str]) -> Limits:
    if not values.keys() & {"nodes", "depth", "seconds"}:
        return Limits(nodes=5_000)
    return Limits(
        int(values["depth"]) if "depth" in values else None,
        int(values["nodes"]) if "nodes" in values else None,
        float(values["seconds"]) if "seconds" in values else None,
    )


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


class Player(Protocol):
    """One side of one game; `nodes` and `seconds` are what it has used so far."""

    seconds: float

    @property
    def nodes(self) -> int:
        """The nodes that it has searched."""

    def choose(self, position: Position) -> Action:
        """An action for a position that is not over."""

    def close(self) -> None:
        """The game is over."""


class Searcher:
    """The search of this process; its seconds are processor time, without that of helpers."""

    def __init__(self, variant: Variant, setting: Setting, seed: int) -> None:
        self.nodes = 0
        self.seconds = 0.0
        self._limits = setting.limits
        self._helpers = HelperPool(setting.threads)
        self._search = Search(
            variant,
            table_mebibytes=setting.table_mebibytes,
            seed=seed,
            techniques=setting.techniques(variant),
            draw_by_points=variant.draw_by_points,
            clock=time.process_time,
            helpers=self._helpers,
        )
        self._helpers.wait()

    def choose(self, position: Position) -> Action:
        """The best action of the deepest iteration."""
        *_, last = self._search.iterate(position, self._limits)
        self.nodes += last.nodes
        self.seconds += last.seconds
        return last.lines[0].actions[0]

    def close(self) -> None:
        """End the helpers."""
        self._helpers.close()


class LevelPlayer:
    """The computer's player of a level; it knows of the position what it would know in a game.

    Time plays no part, so that a match can be played again; its seconds are processor time.
    """

    def __init__(self, variant: Variant, level: Level, seed: int) -> None:
        self.seconds = 0.0
        self._variant = variant
        self._chooser = Chooser(variant, level, variant.draw_by_points)
        self._random = Random(seed)

    @property
    def nodes(self) -> int:
        """The nodes searched so far."""
        return self._chooser.nodes

    def choose(self, position: Position) -> Action:
        """An action as the computer chooses it, with as much time as its nodes need."""
        begun = time.process_time()
        views = Views.of(self._variant, position)
        action = self._chooser.choose(views, self._random.getrandbits(64), float("inf"))
        self.seconds += time.process_time() - begun
        return action

    def close(self) -> None:
        """Nothing outlives a game."""


class OtherEngine:
    """An engine in a process of its own; its seconds are those that pass."""

    def __init__(self, variant: Variant, setting: Setting, command: str, seed: int) -> None:
        self.nodes = 0
        self.seconds = 0.0
        self._limits = setting.limits
        self._process = EngineProcess(
            command,
            variant,
            Hash=setting.table_mebibytes,
            Seed=seed & 0x7FFFFFFF,
            draw_by_points=variant.draw_by_points,
            # An engine that was made before there were threads is not asked for them.
            **({"Threads": setting.threads} if setting.threads > 1 else {}),
        )

    def choose(self, position: Position) -> Action:
        """Its answer; raises EngineFailed."""
        begun = time.monotonic()
        action = self._process.choose(position, self._limits)
        self.seconds += time.monotonic() - begun
        self.nodes += self._process.nodes
        return action

    def close(self) -> None:
        """End its process."""
        self._process.close()


def make_player(variant: Variant, setting: Setting, seed: int) -> Player:
    """A player of one game; EngineFailed where it is an engine that cannot be started."""
    if setting.level is not None:
        return LevelPlayer(variant, setting.level, seed)
    if setting.command is None:
        return Searcher(variant, setting, seed)
    return OtherEngine(variant, setting, setting.command, seed)
