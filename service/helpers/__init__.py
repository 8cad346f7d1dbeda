"""Processes that help a search, each on a core of its own, over one transposition table.

Python lets one thread of a process run at a time, so those that a user asks for as threads are
processes. `pool` is what a search has of them, `process` one of them as seen from there, `helper`
what it does; `memory` they share, and a `job` is what they are told.
"""

from __future__ import annotations

from typing import Final

MOST_THREADS: Final = 64
"""Processes that may search one position, the search's own among them."""
