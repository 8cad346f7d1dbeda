"""Whether a process that answers HTTP is about to end, so that proxies send no more requests."""

from __future__ import annotations

from service.api.errors import Draining


class Drain:
    """Begins once the process has been told to stop."""

    def __init__(self) -> None:
        self._begun = False

    def begin(self) -> None:
        """From now on the process is not ready."""
        self._begun = True

    def check(self) -> None:
        """Raise Draining if the process is about to end."""
        if self._begun:
            raise Draining
