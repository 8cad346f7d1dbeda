"""Starts programs layer by layer and restarts them when they die, until stopped."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Final

from service.operations.supervised_program import Child, Program

GRACE: Final = 10.0
"""Seconds that a layer has to end before it is killed."""

PAUSE: Final = 0.03
"""Seconds between checks while something is not ready."""

LONG_PAUSE: Final = 1.0
"""Seconds between checks while all is well; the end of a process cuts this short."""

STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Supervisor:
    """Runs `layers` of programs, the lowest first.

    A layer is started, and restarted, once everything in the layers below it is ready; layers are
    stopped from the top down. `run` belongs in the main thread of a process without other threads:
    it sets signal handlers and forks.
    """

    def __init__(
        self, layers: Sequence[Sequence[Program]], run_dir: Path, say: Callable[[str], None]
    ) -> None:
        self._layers = [[Child(program, run_dir, say) for program in layer] for layer in layers]
        self._stops = 0

    def run(self, started: Callable[[], None]) -> None:
        """Keep everything running until SIGTERM, SIGINT or SIGHUP; then stop it all.

        `started` is called once, when all with a readiness check are ready and all others run.
        Raises KeepsDying, and what `started` raises, with everything stopped.
        """
        announced = False
        with self._handle_signals() as pause:
            try:
                while not self._stops:
                    ready = self._tend()
                    if not announced and self._is_at_work():
                        announced = True
                        started()
                    pause(LONG_PAUSE if ready else PAUSE)
            finally:
                self._stop(pause)

    def _tend(self) -> bool:
        """Look after every layer that may run; returns whether all is ready.

        A request to stop ends this at once: starting a layer takes seconds.
        """
        for layer in self._layers:
            for child in layer:
                if self._stops:
                    return False
                child.tend()
            if not all(child.ready for child in layer):
                return False
        return True

    def _is_at_work(self) -> bool:
        return all(child.at_work for layer in self._layers for child in layer)

    def _stop(self, pause: Callable[[float], None]) -> None:
        for layer in reversed(self._layers):
            told = self._stops
            for child in layer:
                child.send_signal(signal.SIGTERM)
            deadline = monotonic() + GRACE
            while not all(child.is_gone() for child in layer):
                # A second Ctrl-C means: at once.
                if monotonic() >= deadline or self._stops > told:
                    for child in layer:
                        child.send_signal(signal.SIGKILL)
                pause(PAUSE)

    @contextmanager
    def _handle_signals(self) -> Iterator[Callable[[float], None]]:
        """Count requests to stop; yields a pause that any signal cuts short, even a child's end."""
        reading, writing = socket.socketpair()
        reading.setblocking(False)
        writing.setblocking(False)

        def pause(seconds: float) -> None:
            if select.select([reading], [], [], seconds)[0]:
                reading.recv(4096)

        old_wakeup = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        old = {number: signal.signal(number, self._count_stop) for number in STOPPING}
        old[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        try:
            yield pause
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(old_wakeup)
            reading.close()
            writing.close()

    def _count_stop(self, number: int, frame: FrameType | None) -> None:
        self._stops += 1
