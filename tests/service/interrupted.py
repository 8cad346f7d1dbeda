"""A store that lets something happen between two commands of the code under test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fakeredis


class InterruptedRedis(fakeredis.FakeRedis):
    """A store in memory whose commands can be interrupted."""

    _left = 0
    _act: Callable[[], object] = staticmethod(lambda: None)

    def interrupt(self, act: Callable[[], object], after: int = 1) -> None:
        """Call `act` once, after this many commands or pipelines and before the next one."""
        self._left, self._act = after + 1, act

    def finish(self) -> None:
        """Call it now if it was not called, because too few commands came."""
        if self._left:
            self._left = 0
            self._act()

    def execute_command(self, *given: Any, **named: Any) -> Any:
        self._count()
        return super().execute_command(*given, **named)  # type: ignore[no-untyped-call]

    def pipeline(self, *given: Any, **named: Any) -> Any:
        made: Any = super().pipeline(*given, **named)
        execute, at_once = made.execute, made.immediate_execute_command

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def counting(*given: Any, **named: Any) -> Any:
                self._count()
                return call(*given, **named)

            return counting

        made.execute, made.immediate_execute_command = counted(execute), counted(at_once)
        return made

    def _count(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self._act()
