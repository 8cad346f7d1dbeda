"""The command `go`, parsed and written: how far to search, and what is left on the clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.errors import InvalidLimits
from engine.position import Position
from engine.search import Limits
from engine.search.time_management import TimeLeft, allot_time, expect_moves
from engine.variant import Variant
from service.protocol.errors import BadCommand
from service.protocol.numbers import read_number

LIMITS: Final = ("depth", "nodes", "movetime")
CLOCK: Final = {
    "time": "left",
    "inc": "increment",
    "delay": "delay",
    "byoyomi": "period",
    "periods": "periods",
    "movestogo": "moves_to_go",
}
"""The words for what is left on a clock, and the fields of `TimeLeft` that they set."""


@dataclass(frozen=True, slots=True)
class Go:
    """The limits of a search and what is left on the clock; None for what is not given."""

    limits: Limits | None = None
    time: TimeLeft | None = None

    def find_limits(self, variant: Variant, position: Position, overhead: int) -> Limits | None:
        """The limits for searching a position; `overhead` is that of `allot_time`."""
        if self.time is None:
            return self.limits
        moves = expect_moves(variant.usual_moves, position.number - 1)
        budget = allot_time(self.time, moves, overhead)
        return Limits(budget=budget) if self.limits is None else replace(self.limits, budget=budget)

    def __str__(self) -> str:
        """The words after `go`; of the clock only those that are not 0.

        >>> str(Go(Limits(nodes=500, seconds=0.25), TimeLeft(left=9000, increment=100)))
        'nodes 500 movetime 250 time 9000 inc 100'
        """
        words = []
        limits = self.limits
        if limits is not None and limits.depth is not None:
            words.append(f"depth {limits.depth}")
        if limits is not None and limits.nodes is not None:
            words.append(f"nodes {limits.nodes}")
        if limits is not None and limits.seconds is not None:
            words.append(f"movetime {max(1, round(limits.seconds * 1000))}")
        if self.time is not None:
            told = {word: getattr(self.time, field) for word, field in CLOCK.items()}
            words += [
                f"{word} {number}" for word, number in told.items() if number or word == "time"
            ]
        return " ".join(words)


def limit_seconds(limits: Limits | None, seconds: float) -> Limits:
    """Limits that hold beside others; of two times the shorter one holds."""
    if limits is None:
        return Limits(seconds=seconds)
    return replace(limits, seconds=min(seconds, limits.seconds or seconds))


def read_go(words: list[str]) -> Go:
    """The meaning of a `go` with these words; both fields are None for `infinite` or no words.

    Raises BadCommand.
    """
    if words == ["infinite"]:
        return Go()
    given: dict[str, int] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in (*LIMITS, *CLOCK) or name in given:
            known = ", ".join((*LIMITS, *CLOCK))
            raise BadCommand(f"go takes {known} or infinite, not {name!r}")
        given[name] = read_number(name, value)
    return Go(_make_limits(given), _make_time(given))


def read_limits(words: list[str]) -> Limits | None:
    """The limits of a `go` without a clock, None if there are none; raises BadCommand."""
    go = read_go(words)
    if go.time is not None:
        raise BadCommand("clock times come from the game: leave them out")
    return go.limits


def _make_limits(given: dict[str, int]) -> Limits | None:
    if not given.keys() & set(LIMITS):
        return None
    milliseconds = given.get("movetime")
    try:
        return Limits(
            given.get("depth"),
            given.get("nodes"),
            None if milliseconds is None else milliseconds / 1000,
        )
    except InvalidLimits as error:
        raise BadCommand(str(error)) from error


def _make_time(given: dict[str, int]) -> TimeLeft | None:
    told = {field: given[word] for word, field in CLOCK.items() if word in given}
    if not told:
        return None
    if "left" not in told:
        raise BadCommand("go needs time if it says anything else about the clock")
    if told.get("moves_to_go") == 0:
        raise BadCommand("movestogo must be positive")
    if told.get("period") and "periods" not in told:
        told["periods"] = 1
    return TimeLeft(**told)
