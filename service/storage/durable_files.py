"""Files that survive a power cut."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def sync(file: IO[Any]) -> None:
    """Return once everything written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Return once the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Name this file or folder in an OSError that names none, such as that of a failed write."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def replace(draft: Path, file: Path) -> None:
    """Replace a file by a synced draft, durably; both are in one folder."""
    draft.replace(file)
    sync_folder(file.parent)


def remove_abandoned(drafts: Iterable[Path]) -> None:
    """Remove drafts whose writers are dead.

    A writer holds a lock (`flock`) on its draft for as long as it lives.
    """
    for draft in drafts:
        with suppress(FileNotFoundError), draft.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            draft.unlink(missing_ok=True)


@contextmanager
def new_private_file(file: Path, draft: Path) -> Iterator[IO[bytes]]:
    """A file of mode 0600, written as `draft` and then moved to `file` in one step.

    Readers see either the old content or all of the new; the draft is removed in any case. A failed
    write raises an OSError that names the file.
    """
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with name_in_errors(file), os.fdopen(handle, "wb") as stream:
            yield stream
            sync(stream)
            # Still open, so that a lock on the draft holds until it has its final name.
            replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
