"""A helper's process, as seen by the process that it helps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
"""The folder from which the packages are imported."""


class HelperProcess:
    """A process that helps with the memory behind `descriptor`; OSError if it cannot be started."""

    def __init__(self, descriptor: int, mebibytes: int, number: int) -> None:
        self.number = number
        terms = (descriptor, mebibytes, number, os.getpid())
        paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        # It prints nothing, not even why it fails: that might reveal the position.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "service.helpers.helper", *map(str, terms)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(descriptor,),
        )
        assert self._process.stdin is not None
        self._input = self._process.stdin.fileno()
        os.set_blocking(self._input, False)

    @property
    def id(self) -> int:
        """The system's id of the process."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def tell(self, line: bytes) -> bool:
        """Write to it without waiting; False if its pipe is too full now."""
        try:
            return os.write(self._input, line) == len(line)
        except BlockingIOError:
            return False
        except BrokenPipeError:
            return True  # it has died: nothing more can be sent

    def close(self) -> None:
        """End it, whatever it is doing."""
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
