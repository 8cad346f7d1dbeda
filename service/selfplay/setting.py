"""The settings of a match's player, and the words that describe them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace

from engine.described_error import DescribedError
from engine.errors import InvalidLimits
from engine.search import Limits, Parameters, Techniques
from engine.variant import Variant
from service.computer.levels import LEVELS, Level
from service.helpers import MOST_THREADS
from service.selfplay.clock import ClockSetting, read_clock


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
