"""An engine in its own process, driven through the protocol."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.position import Action, Position
from engine.search import Limits
from engine.search.time_management import TimeLeft, allot_time, expect_moves
from engine.variant import Variant
from notation.errors import TokenError
from notation.registry import find_dialect
from service.protocol.errors import EngineFailed
from service.protocol.go import Go, limit_seconds
from service.protocol.lines import NONE, read_best, read_nodes, read_score

ERROR: Final = "info string error"
"""How an engine's answer begins to a line that it does not understand."""
STARTING: Final = 30.0
"""Seconds that an engine has to start, and to end."""


class EngineProcess:
    """An engine started by `command`, a command line.

    With `draw_by_points` a draw goes to the side with more points, and the engine is told so; an
    engine that does not know the option plays without it. `nodes` and `score` are what it last
    reported for its last search; `score` is in hundredths, and None for a decided game.

    All methods raise EngineFailed if the process cannot be started, has ended, or breaks the
    protocol. `close` ends it.
    """

    def __init__(
        self, command: str, variant: Variant, *, draw_by_points: bool = False, **options: int
    ) -> None:
        self.command = command
        self.nodes = 0
        self.score: int | None = None
        self._written = find_dialect(variant.name)
        self._usual_moves = variant.usual_moves
        self._knows_clocks = True
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise EngineFailed(command, error.strerror or str(error)) from error
        try:
            self._prepare({"Variant": variant.name, **options})
            if draw_by_points:
                self._wish("DrawByPoints", 1)
        except EngineFailed:
            self.close()
            raise

    def _prepare(self, options: Mapping[str, str | int]) -> None:
        for name, value in options.items():
            self._tell(f"setoption name {name} value {value}")
        self._tell("isready")
        while self._hear() != "readyok":
            pass

    def _wish(self, name: str, value: int) -> None:
        """Set an option that an engine may lack."""
        self._tell(f"setoption name {name} value {value}")
        self._tell("isready")
        while self._line() != "readyok":
            pass

    def choose(
        self, position: Position, limits: Limits | None, time: TimeLeft | None = None
    ) -> Action:
        """The action that the engine takes in a position that is not over.

        The engine is sent what is left on the clock. An engine that rejects clocks is from then on
        given the optimum as a time limit.
        """
        self._tell(f"position fen {self._written.write_fen(position)}")
        self.nodes, self.score = 0, None
        if time is not None and self._knows_clocks:
            self._tell(f"go {Go(limits, time)}")
            line = self._line()
            self._knows_clocks = not line.startswith(ERROR)
        if time is None or not self._knows_clocks:
            self._tell(f"go {Go(self._limit_time(limits, position, time))}")
            line = self._hear()
        while (best := read_best(line)) is None:
            self.nodes = read_nodes(line) or self.nodes
            if " score " in line:
                self.score = read_score(line)
            line = self._hear()
        if best == NONE:
            raise EngineFailed(self.command, "no action in a game that is not over")
        try:
            return self._written.resolve(position, best)
        except TokenError as error:
            raise EngineFailed(self.command, str(error)) from error

    def _limit_time(
        self, limits: Limits | None, position: Position, time: TimeLeft | None
    ) -> Limits | None:
        """The limits; if there is a clock, with its optimum for an action."""
        if time is None:
            return limits
        optimum = allot_time(time, expect_moves(self._usual_moves, position.number - 1)).optimum
        return limit_seconds(limits, optimum)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.terminate()
        self._process.stdout.close()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EngineFailed(self.command, "has ended") from error

    def _hear(self) -> str:
        line = self._line()
        if line.startswith(ERROR):
            raise EngineFailed(self.command, line)
        return line

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise EngineFailed(self.command, "has ended")
        return line.strip()


def check(command: str) -> None:
    """Start an engine and end it again; raises EngineFailed if it does not say that it is ready."""
    try:
        said = subprocess.run(
            shlex.split(command),
            input="isready\nquit\n",
            stdout=subprocess.PIPE,
            text=True,
            timeout=STARTING,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as error:
        raise EngineFailed(command, f"does not end within {STARTING:.0f} seconds") from error
    except OSError as error:
        raise EngineFailed(command, error.strerror or str(error)) from error
    except ValueError as error:
        raise EngineFailed(command, str(error)) from error
    if "readyok" not in said.splitlines():
        raise EngineFailed(command, "does not say that it is ready")
