"""Checks whether a server program can use existing log files, and prepares them for it.

Redis before version 7 keeps one file, `appendonly.aof`. Redis 7 and Valkey keep a folder,
`appendonlydir`, and move a file that they find into it: no older server reads it after that.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.operations.errors import WrittenByNewer
from service.operations.server_program import ServerProgram
from service.storage import durable_files as durable

LOG_FILE: Final = "appendonly.aof"
LOG_FOLDER: Final = "appendonlydir"
MANIFEST: Final = f"{LOG_FILE}.manifest"

NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)
"""The errors of file systems without links (exFAT, some network and FUSE volumes)."""
WRITER: Final = re.compile(rb"(redis|valkey)-ver.([0-9.]+)", re.DOTALL)
"""The first auxiliary field of a snapshot: the server that wrote it (the byte is a length)."""


def take_over(files: Path, program: ServerProgram, say: Callable[[str], None]) -> None:
    """Keep an old log file before the program migrates it, and say so.

    What is kept is a hard link, which takes no room until the log is rewritten, or a copy if the
    file system has no links. Raises WrittenByNewer if the program would not find the log.
    """
    old, folder = files / LOG_FILE, files / LOG_FOLDER
    if not program.keeps_folder:
        if (folder / MANIFEST).exists():
            raise WrittenByNewer(folder, find_writer(folder), str(program))
        return
    if not old.exists() or (folder / MANIFEST).exists():
        return
    written = datetime.fromtimestamp(old.stat().st_mtime, UTC)
    kept = files / f"{LOG_FILE}.kept-{written:%Y%m%dT%H%M%SZ}"
    if not kept.exists():
        link_or_copy(old, kept)
    say(
        f"{old} was written by Redis 6 or older and is taken over by {program}: no older server"
        f" can read it from now on. {kept} is a copy from before; remove it once everything works"
    )


def link_or_copy(old: Path, new: Path) -> None:
    """Keep a file under another name as well; it appears there whole or not at all."""
    try:
        os.link(old, new)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        begun = new.with_name(f".{new.name}.movelog-partial")
        try:
            shutil.copy2(old, begun)
            with begun.open("rb") as file:
                durable.sync(file)
            durable.replace(begun, new)
        finally:
            begun.unlink(missing_ok=True)


def find_writer(folder: Path) -> str | None:
    """The server that wrote the newest snapshot in a log folder; None if there is none."""
    snapshots = sorted(folder.glob(f"{LOG_FILE}.*.base.rdb"), key=lambda file: file.stat().st_mtime)
    if not snapshots:
        return None
    with snapshots[-1].open("rb") as file:
        found = WRITER.search(file.read(64))
    return f"{found[1].decode().title()} {found[2].decode()}" if found else None
