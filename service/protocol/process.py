"""An engine in a process of its own, driven through the protocol."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.position import Action, Position
from engine.search import Limits
from engine.variant import Variant
from notation.errors import TokenError
from notation.registry import find_dialect
from service.protocol.errors import EngineFailed
from service.protocol.lines import NONE, read_best, read_nodes, read_score

STARTING: Final = 30.0
"""Seconds an engine has to start and to end."""


class EngineProcess:
    """An engine started by `command`, a command line.

    With `draw_by_points` a draw goes to the side with more points, and the engine is
    told so; one that does not know the option plays without it.
    `nodes` and `score`, in hundredths and None for a game that is decided, are what it said last
    of its last search.

    Everything raises EngineFailed when the process cannot be started, has ended, or answers
    what it should not. `close` ends it.
    """

    def __init__(
        self, command: str, variant: Variant, *, draw_by_points: bool = False, **options: int
    ) -> None:
        self.command = command
        self.nodes = 0
        self.score: int | None = None
        self._written = find_dialect(variant.name)
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
        """Set an option that an engine may do without."""
        self._tell(f"setoption name {name} value {value}")
        self._tell("isready")
        while self._line() != "readyok":
            pass

    def choose(self, position: Position, limits: Limits) -> Action:
        """The action that the engine takes in a position that is not over."""
        self._tell(f"position fen {self._written.write_fen(position)}")
        self._tell(f"go {go_words(limits)}")
        self.nodes, self.score = 0, None
        while (best := read_best(line := self._hear())) is None:
            self.nodes = read_nodes(line) or self.nodes
            if " score " in line:
                self.score = read_score(line)
        if best == NONE:
            raise EngineFailed(self.command, "no action in a game that is not over")
        try:
            return self._written.resolve(position, best)
        except TokenError as error:
            raise EngineFailed(self.command, str(error)) from error

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
        if line.startswith("info string error"):
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


def go_words(limits: Limits) -> str:
    """Limits as `go` has them.

    >>> go_words(Limits(nodes=500, seconds=0.25))
    'nodes 500 movetime 250'
    """
    words = []
    if limits.depth is not None:
        words.append(f"depth {limits.depth}")
    if limits.nodes is not None:
        words.append(f"nodes {limits.nodes}")
    if limits.seconds is not None:
        words.append(f"movetime {max(1, round(limits.seconds * 1000))}")
    return " ".join(words)
