"""The format of a backup file: gzipped lines of JSON, which any tool can read.

{"format": "movelog-backup/2", ...}     what it is, first
{"file": name, "data": base64}          a file of the data directory
{"stream": "game:<id>", "entries": [[name, event, at, by, digest], ...],
 "receipts": {}, "aside": {}}           a stream with what is kept beside it (in one line);
                                        "archived": true if it was archived
{"feed": partition, "pointers": [[position, stream, first, last, audience], ...]}
                                        in their order; "archived": true if they were trimmed
{"import": id, "name": name, "at": offset, "data": base64}
                                        a piece of one of an import's files
{"webhooks": {"tables": {}, "logs": {}}}
{"mail": {player: JSON}}                who is notified of what by e-mail
{"account": player, "parts": {}}         what a player signs in with, and their sessions
{"end": lines, "sha256": hex}           how many lines precede this last one; their digest
"""

from __future__ import annotations

import fcntl
import gzip
import json
import secrets
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from service.operations.backup_errors import DamagedBackup
from service.storage import durable_files as durable

FORMAT: Final = "movelog-backup/2"
READ: Final = ("movelog-backup/1", FORMAT)
"""The forms that can be restored; the first has neither imports' files nor webhooks."""
PART: Final = "movelog-backup-part/1"
"""The form of the part of a log outside its archive, in a place for backups (`backup_place`)."""
PARTIAL: Final = ".movelog-partial"
"""The ending of the name of a backup under way."""

Line = dict[str, Any]


class ArchiveWriter:
    """Writes the lines of a backup, and the last one when it is closed."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._digest = sha256()
        self._lines = 0

    def add(self, line: Line) -> None:
        """Write one line."""
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._digest.update(data)
        self._lines += 1
        self._stream.write(data)

    def close(self) -> None:
        """Write the line that vouches for the others."""
        self.add({"end": self._lines, "sha256": self._digest.hexdigest()})


@contextmanager
def write_archive(path: Path, about: Line) -> Iterator[ArchiveWriter]:
    """A backup to be written to `path`, mode 0600; the file appears whole or not at all.

    Remains of killed backups in the folder are removed first.
    """
    remove_partial(path.parent)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}{PARTIAL}")
    with durable.new_private_file(path, partial) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pack_archive(file, FORMAT, about) as archive:
            yield archive


@contextmanager
def pack_archive(file: IO[bytes], form: str, about: Line) -> Iterator[ArchiveWriter]:
    """The lines of a backup of this form, to be written to an open file."""
    with gzip.GzipFile("", "wb", fileobj=file) as stream:
        archive = ArchiveWriter(stream)
        archive.add({"format": form, **about})
        yield archive
        archive.close()


def remove_partial(folder: Path) -> None:
    """Remove the beginnings of backups from a folder whose writers are dead."""
    durable.remove_abandoned(folder.glob(f".*{PARTIAL}"))


def check(path: Path, forms: Collection[str] = READ) -> tuple[Line, int]:
    """The first line of a complete backup, and the number of lines between it and the last.

    Raises DamagedBackup for any other file.
    """
    digest = sha256()
    first: Line | None = None
    count = 0
    ended = False
    for data in _read_raw_lines(path):
        if ended:
            raise DamagedBackup(path, "there is more data after its end")
        line = _parse(path, data)
        if first is None:
            if line.get("format") not in forms:
                raise DamagedBackup(path, f"it is not a backup in the format {FORMAT}")
            first = line
        if "end" in line:
            ended = True
            if (line["end"], line.get("sha256")) != (count, digest.hexdigest()):
                raise DamagedBackup(path, "its digest does not match its contents")
        else:
            digest.update(data)
            count += 1
    if first is None or not ended:
        raise DamagedBackup(path, "it is truncated")
    return first, count - 1


def read_lines(path: Path) -> Iterator[Line]:
    """The lines between the first and the last of a backup that has passed `check`."""
    for data in _read_raw_lines(path):
        line = _parse(path, data)
        if "format" not in line and "end" not in line:
            yield line


def _read_raw_lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as stream:
            yield from stream
    except EOFError as error:
        raise DamagedBackup(path, "it is truncated") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DamagedBackup(path, "it is not gzipped, or it was altered") from error


def _parse(path: Path, data: bytes) -> Line:
    try:
        line = json.loads(data)
    except ValueError as error:
        raise DamagedBackup(path, "one of its lines is not JSON") from error
    if not isinstance(line, dict):
        raise DamagedBackup(path, "one of its lines is not a JSON object")
    return line
