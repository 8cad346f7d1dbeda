"""Whether an HTTP process is about to end, so that proxies send it no more requests."""

from __future__ import annotations

from service.api.errors import Draining


class Drain:
    """Says whether the process is about to end."""

    def __init__(self) -> None:
        self._begun = False

    def begin(self) -> None:
        """Make the process not ready from now on."""
        self._begun = True

    def check(self) -> None:
        """Raise Draining if the process is about to end."""
        if self._begun:
            raise Draining
