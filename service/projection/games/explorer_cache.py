"""Keeps the explorer's latest answers as long as nothing changes them."""

from __future__ import annotations

from typing import Final

from service.bounded_cache import BoundedCache
from service.projection.games.explorer import Explored, Explorer
from service.projection.games.query import Query

KEPT: Final = 64
"""Answers that a process keeps, about 50 KB each."""


class ExplorerCache:
    """Asks an explorer, and keeps the answers to the last `most` different queries."""

    def __init__(self, explorer: Explorer, most: int = KEPT) -> None:
        self.explorer = explorer
        self._answers = BoundedCache[Query, tuple[int, Explored]](most)

    def read_version(self) -> int:
        """Which state of the tables answers now."""
        return self.explorer.read_version()

    def explore(self, query: Query, version: int | None = None) -> Explored:
        """The answer as of the state `version`, if that was just read, or as of a newer one.

        It is shared between callers, and must not be changed. Raises what `Explorer.explore`
        raises.
        """
        if version is None:
            version = self.read_version()
        cached_version, cached = self._answers.get(query) or (version, None)
        if cached is not None and cached_version == version:
            return cached
        explored = self.explorer.explore(query)
        # Asked again, a partial answer may become complete.
        if not explored.partial:
            self._answers.put(query, (version, explored))
        return explored
