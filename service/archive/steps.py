"""The steps of what must survive that its process is killed."""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[str], None]
"""Called with the name of what was just done, of those after which a process may die."""
