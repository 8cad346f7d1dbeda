"""Which release a process runs: other sources may make another answer of the same data."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

PACKAGES: Final = ("engine", "notation", "service")
SUFFIXES: Final = frozenset({".css", ".po", ".py", ".svg"})
"""Code, translations and drawings."""


@cache
def digest_release() -> str:
    """A digest over the sources of all that answers and read models are made by, 16 digits.

    To be taken first when a process starts: later its sources may have been replaced.
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
