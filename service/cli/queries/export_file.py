"""The file that an export writes: complete, or as it was before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copyfile
from typing import IO


@contextmanager
def open_output(path: Path, *, append: bool) -> Iterator[IO[bytes]]:
    """A file to write, or to append to, that replaces `path` once everything is written.

    The existing file stays as it is if writing fails or is interrupted. A path that is not a file,
    such as a pipe, is written to directly. Raises OSError.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if append and target.exists():
            copyfile(target, draft)
        with draft.open("ab") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            draft.chmod(target.stat().st_mode)
        draft.replace(target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
