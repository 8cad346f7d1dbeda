"""Key files: made once even if several processes start at the same time, replaced whole."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.storage import durable_files as durable

DRAFT_DIGITS: Final = 16
"""Hexadecimal digits at the end of a draft's name."""


def make_once(path: Path, content: bytes) -> None:
    """Write a file (mode 0600) unless there is one; of several processes the first wins.

    No process ever reads only a part of it.
    """
    if path.exists():
        return
    with _draft(path, content) as draft, contextlib.suppress(FileExistsError):
        os.link(draft, path)
        durable.sync_folder(path.parent)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file (mode 0600) with this content, whole or not at all.

    Drafts of killed processes are removed first: they hold keys that nobody would drop.
    """
    drafts = f"{glob.escape(path.name)}.{'[0-9a-f]' * DRAFT_DIGITS}"
    durable.remove_abandoned(path.parent.glob(drafts))
    with _draft(path, content) as draft:
        durable.replace(draft, path)


@contextlib.contextmanager
def hold_file(path: Path) -> Iterator[None]:
    """Lock a key file for changes; raises BlockingIOError if another process holds it."""
    handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _draft(path: Path, content: bytes) -> Iterator[Path]:
    """A synced file with this content, locked, and removed at the end unless it was renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(DRAFT_DIGITS // 2)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with durable.name_in_errors(path), os.fdopen(handle, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(content)
            durable.sync(file)
            yield draft
    finally:
        draft.unlink(missing_ok=True)
