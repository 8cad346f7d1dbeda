"""Which release a process runs: other sources may give another answer from the same data."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

PACKAGES: Final = ("engine", "notation", "service")
SUFFIXES: Final = frozenset({".css", ".po", ".py", ".svg"})
"""Suffixes of code, translations and drawings."""


@cache
def digest_release() -> str:
    """A digest of all sources that answers and read models depend on, 16 digits.

    To be computed first when a process starts, since its sources may be replaced later.
    """
    return digest_sources(Path(__file__).parents[2])


def digest_sources(root: Path) -> str:
    """The digest of the sources in the packages below `root`, by their paths."""
    digest = sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in SUFFIXES:
                content = path.read_bytes()
                digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
                digest.update(content)
    return digest.hexdigest()[:16]
