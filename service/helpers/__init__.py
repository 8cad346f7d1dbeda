"""Processes that help a search, each on its own core, over one transposition table.

Python lets only one thread of a process run at a time, so the threads that a user requests are
processes. `pool` is all of them as a search sees them, `process` is one of them as the pool sees
it, and `helper` is what it does. They share `memory`, and a `job` is what they are sent.
"""

from __future__ import annotations

from typing import Final

MOST_THREADS: Final = 64
"""The most processes that may search one position, including the search's own."""
