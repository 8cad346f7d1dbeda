"""Folders that one process at a time may write into."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from training.errors import FolderInUse


@contextmanager
def locked(folder: Path, name: str = "lock") -> Iterator[None]:
    """Hold the lock of a folder, the file `name` in it; raises FolderInUse if another does.

    The folder is made if it does not exist. The lock ends with this process, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(folder) from error
        yield
