"""Files that survive a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def new_private_file(file: Path, draft: Path) -> Iterator[IO[bytes]]:
    """A file of mode 0600, written as `draft` and then put in the place of `file` in one step.

    Readers see what was there before, or all of the new one; the draft is gone in any case. A
    write that fails raises an OSError that says of which file.
    """
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            sync(stream)
            # Still open, so that a lock on the draft holds until it has its own name.
            replace(draft, file)
    except OSError as error:
        error.filename = error.filename or str(file)
        raise
    finally:
        draft.unlink(missing_ok=True)
