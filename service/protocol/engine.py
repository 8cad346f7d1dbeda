"""The engine of `movelog engine`: one line in, any number of lines out, searching in a thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from engine.errors import UnknownVariant
from engine.position import MAX_DEPTH, Action, Position
from engine.registry import VARIANTS, find_variant
from engine.search import Limits, Search, build_id, iterate_worlds
from engine.variant import Variant
from notation.registry import find_dialect
from service.helpers.pool import HelperPool
from service.protocol.commands import (
    OPTIONS,
    checked_number,
    read_option,
    read_position,
)
from service.protocol.errors import BadCommand
from service.protocol.go import read_go
from service.protocol.lines import best_line, info_lines

log = logging.getLogger(__name__)

WHILE_SEARCHING: Final = ("isready", "stop", "quit", "uci")
"""The commands that do not wait for a search to end."""


class Engine:
    """An engine that executes lines; it calls `write` with each line of an answer, from any thread.

    Searches of one game remember what earlier ones found, until `newgame` or until an option
    changes. `close` ends it and its helper processes.
    """

    def __init__(self, write: Callable[[str], None], first: Variant) -> None:
        self._write = write
        self._numbers = {name: int(option.default) for name, option in OPTIONS.items()}
        self._thread: Thread | None = None
        self._stop = Event()
        self._idle = Event()
        self._idle.set()
        self._helpers = HelperPool(1)
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "isready": lambda _: self._say_ready(),
            "setoption": self._set_option,
            "newgame": lambda _: self._begin_game(),
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self.stop(),
        }
        self._search = Search(first, table_mebibytes=1)
        self._choose(first)

    def obey(self, line: str) -> bool:
        """Carry out one line; False after `quit`. An unknown command is answered and ignored."""
        words = line.split()
        if not words:
            return True
        name = words[0]
        if name == "quit":
            self.close()
            return False
        try:
            if name not in self._commands:
                raise BadCommand(f"unknown command {name!r}")
            if not self._idle.is_set() and name not in WHILE_SEARCHING:
                raise BadCommand(f"{name} has to wait for the search: send stop")
            self._commands[name](words[1:])
        except BadCommand as error:
            self._write(f"info string error: {error}")
        return True

    def stop(self) -> None:
        """End the search, if there is one, and wait for its answer."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """End the search and its helpers."""
        self.stop()
        self._helpers.close()

    def _say_ready(self) -> None:
        if self._idle.is_set():
            self._helpers.wait()
        self._write("readyok")

    def _introduce(self, words: list[str]) -> None:
        self._write("id name Movelog")
        self._write(f"id build {build_id()}")
        names = " ".join(f"var {name}" for name in VARIANTS)
        self._write(f"option name Variant type combo default {self._variant.name} {names}")
        for name, option in OPTIONS.items():
            self._write(
                f"option name {name} type spin default {option.default} "
                f"min {option.lowest} max {option.highest}"
            )
        self._write("uciok")

    def _choose(self, chosen: Variant) -> None:
        self._variant = chosen
        self._written = find_dialect(chosen.name)
        self._position: Position = self._written.start({})
        self._renew()

    def _renew(self) -> None:
        if self._helpers.threads != self._numbers["Threads"]:
            self._helpers.close()
            self._helpers = HelperPool(self._numbers["Threads"])
        self._search.release()  # there may be no room for two tables at a time
        with needing_memory():
            self._search = Search(
                self._variant,
                table_mebibytes=self._numbers["Hash"],
                seed=self._numbers["Seed"],
                draw_by_points=bool(self._numbers["DrawByPoints"]),
                helpers=self._helpers,
            )

    def _begin_game(self) -> None:
        with needing_memory():
            self._search.forget()

    def _set_option(self, words: list[str]) -> None:
        name, value = read_option(words)
        if name == "Variant":
            try:
                self._choose(find_variant(value))
            except UnknownVariant as error:
                raise BadCommand(str(error)) from error
        else:
            self._numbers[name] = checked_number(name, value)
            self._renew()

    def _set_position(self, words: list[str]) -> None:
        self._position = read_position(self._variant, words)

    def _go(self, words: list[str]) -> None:
        overhead = self._numbers["Overhead"]
        limits = read_go(words).find_limits(self._variant, self._position, overhead)
        self.stop()
        self._stop.clear()
        self._idle.clear()
        self._thread = Thread(target=self._think, args=(limits,), daemon=True)
        self._thread.start()

    def _think(self, limits: Limits | None) -> None:
        """Search and answer with the best action, whatever happens meanwhile."""
        best = None
        try:
            best = self._find_best(limits)
        except Exception as error:  # the engine has to go on answering
            log.exception("the search failed")
            self._write(f"info string error: the search failed: {type(error).__name__} {error}")
        self._idle.set()  # whoever reads the answer may give the next command at once
        self._write(best_line(self._written, best))

    def _find_best(self, limits: Limits | None) -> Action | None:
        """Search and report; without limits, go on until told to stop. None in a finished game."""
        last = None
        for last in iterate_worlds(
            self._search,
            self._position,
            limits or Limits(depth=MAX_DEPTH),
            lines=self._numbers["MultiPV"],
            worlds=self._numbers["Worlds"],
            seed=self._numbers["Seed"],
            stop=self._stop.is_set,
        ):
            for line in info_lines(self._written, last):
                self._write(line)
        if limits is None:
            self._stop.wait()
        best = last.lines[0].actions[:1] if last else ()
        return best[0] if best else None


@contextmanager
def needing_memory() -> Iterator[None]:
    """Raise BadCommand where there is no memory for a table."""
    try:
        yield
    except OSError as error:
        raise BadCommand(f"no memory to share: {error.strerror}") from error
    except MemoryError as error:
        raise BadCommand("no memory for a table of this size") from error
