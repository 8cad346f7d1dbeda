"""Key files: made once even if several processes start at the same time, replaced whole."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from service.storage import durable_files as durable


def make_once(path: Path, content: bytes) -> None:
    """Write a file (mode 0600) unless there is one; of several processes the first wins.

    No process ever reads only a part of it.
    """
    if path.exists():
        return
    draft = _draft(path, content)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
            durable.sync_folder(path.parent)
    finally:
        draft.unlink()


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file (mode 0600) with this content, whole or not at all."""
    durable.replace(_draft(path, content), path)


@contextlib.contextmanager
def hold_file(path: Path) -> Iterator[None]:
    """Lock a key file for changes; raises BlockingIOError if another process holds it."""
    handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _draft(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        durable.sync(file)
    return draft
