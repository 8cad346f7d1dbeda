"""Files that survive a power cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any


def sync(file: IO[Any]) -> None:
    """Return when all that was written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Return when the disk knows what a folder holds, by which names."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace(draft: Path, file: Path) -> None:
    """Put a file that was synced in the place of another, for good; both are in one folder."""
    draft.replace(file)
    sync_folder(file.parent)
