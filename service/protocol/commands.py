"""Lines to the engine, parsed into commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError
from engine.position import Position
from engine.variant import Variant
from notation.errors import NotationError
from notation.registry import find_dialect
from service.helpers import MOST_THREADS
from service.protocol.errors import BadCommand
from service.protocol.numbers import read_number


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of the engine: its default, and its range of whole numbers, or its words."""

    default: str
    lowest: int = 0
    highest: int = 0
    words: tuple[str, ...] = ()


OPTIONS: Final = {
    "Hash": Option("16", 1, 4096),
    "Threads": Option("1", 1, MOST_THREADS),
    "MultiPV": Option("1", 1, 256),
    "Seed": Option("0", 0, 2**31 - 1),
    "Worlds": Option("16", 2, 64),
    "DrawByPoints": Option("0", 0, 1),
    "Overhead": Option("20", 0, 10_000),
}
"""The numbers that `setoption` sets, besides `Variant`."""


def read_position(variant: Variant, words: list[str]) -> Position:
    """The position of `startpos` or `fen FEN`, followed by `moves` in coordinate form or SAN.

    Raises BadCommand.
    """
    before, moves = words, []
    if "moves" in words:
        before, moves = words[: words.index("moves")], words[words.index("moves") + 1 :]
    written = find_dialect(variant.name)
    try:
        if before == ["startpos"]:
            position = written.start({})
        elif before[:1] == ["fen"]:
            position = written.read_fen(" ".join(before[1:]))
        else:
            raise BadCommand("position needs startpos or fen")
        for token in moves:
            position.play(written.resolve(position, token))
    except (NotationError, EngineError) as error:
        raise BadCommand(str(error)) from error
    return position


def read_option(words: list[str]) -> tuple[str, str]:
    """The name and the value in `name NAME value VALUE`; BadCommand if it has another form."""
    if len(words) != 4 or (words[0], words[2]) != ("name", "value"):
        raise BadCommand("setoption takes name NAME value VALUE")
    return words[1], words[3]


def checked_number(name: str, value: str) -> int:
    """The number that an option is set to; BadCommand if it is not a number or out of range."""
    if name not in OPTIONS:
        raise BadCommand(f"no option {name!r}; the options are Variant, {', '.join(OPTIONS)}")
    option = OPTIONS[name]
    number = read_number(name, value)
    if not option.lowest <= number <= option.highest:
        raise BadCommand(f"{name} is from {option.lowest} to {option.highest}")
    return number
