"""Keeps the explorer's latest answers as long as nothing changes them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from service.projection.games.explorer import Explored, Explorer
from service.projection.games.query import Query

KEPT: Final = 64
"""Answers that a process keeps, about 50 KB each."""


class ExplorerCache:
    """Asks an explorer, and keeps the answers to the last `most` different queries."""

    def __init__(self, explorer: Explorer, most: int = KEPT) -> None:
        self.explorer = explorer
        self.most = most
        self._kept: OrderedDict[Query, tuple[int, Explored]] = OrderedDict()
        self._lock = Lock()

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
        with self._lock:
            kept_version, kept = self._kept.pop(query, (version, None))
            if kept is not None and kept_version == version:
                self._kept[query] = (version, kept)
                return kept
        explored = self.explorer.explore(query)
        # Asked again, a partial answer may become complete.
        if not explored.partial:
            with self._lock:
                self._kept[query] = (version, explored)
                while len(self._kept) > self.most:
                    self._kept.popitem(last=False)
        return explored
