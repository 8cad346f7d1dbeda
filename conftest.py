"""What pytest passes over.

A module with a `.pxd` beside it has no doctests: compiled, it can't be imported from the path of
its source.
"""

from __future__ import annotations

from pathlib import Path

collect_ignore = [
    str(types.with_suffix(".py")) for types in Path(__file__).parent.glob("engine/**/*.pxd")
]
