"""The commands to an import."""

from __future__ import annotations

from collections.abc import Mapping

from service.imports.decompression import Packing
from service.imports.state import ImportEnding, ImportMode
from service.log.declarations import command


@command
class BeginImport:
    """Import an uploaded file: `size` in bytes and `sha256` (hex), both as received."""

    mode: ImportMode
    size: int
    sha256: str
    packing: Packing


@command
class CommitImport:
    """Import all games of a strict import, all of which were found valid."""


@command
class EndImport:
    """Import nothing more; `counts` are the games by verdict, `passed` the bytes read so far."""

    ending: ImportEnding
    counts: Mapping[str, int]
    passed: int
    reason: str = ""


@command
class CancelImport:
    """Cancel the import; `passed` is how many bytes were read so far."""

    passed: int


ImportCommand = CommitImport | EndImport | CancelImport
"""The commands to an import that exists."""
