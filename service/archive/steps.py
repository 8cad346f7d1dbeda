"""The steps of work that must survive the killing of its process."""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[str], None]
"""Called with the name of each step just done after which a process may die."""
