"""The uploaded files of imports in a backup, in chunks, since an upload can exceed the memory.

They are copied after the streams, so that every import in a backup also has its files there, as far
as the service has them. Verdicts that are written meanwhile may be cut off within a line: an import
that goes on drops what its last try had not finished.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from service.errors import NotFound
from service.imports.files import ORIGINAL, VERDICTS, LineFile
from service.imports.repository import KIND
from service.imports.uploads import Uploads
from service.log.values import StreamId
from service.operations.backup_file import Line
from service.storage import durable_files as durable

PIECE: Final = 1 << 20
"""Bytes of a file in one line."""


def upload_lines(uploads: Uploads, streams: Iterable[StreamId]) -> Iterator[Line]:
    """The files of those of the streams that are imports, in pieces; raises ObjectsAway."""
    for id in sorted(stream.id for stream in streams if stream.kind == KIND):
        for name, pieces in (
            (ORIGINAL, read_original(uploads, id)),
            (VERDICTS, read_verdicts(uploads.files.verdicts(id))),
        ):
            for at, data in pieces:
                encoded = base64.b64encode(data).decode()
                yield {"import": id, "name": name, "at": at, "data": encoded}


def read_original(uploads: Uploads, id: str) -> Iterator[tuple[int, bytes]]:
    """Read the original of an import in pieces, each with its offset; none if there is none."""
    with suppress(NotFound):
        stream, size = uploads.open_original(id)
        with stream:
            at = 0
            while at < size or not at:
                data = stream.read(PIECE)
                yield at, data
                at += len(data)
                if not data:
                    return


def read_verdicts(file: LineFile) -> Iterator[tuple[int, bytes]]:
    """Read verdicts in pieces of whole lines, each with its offset."""
    at, lines, length = 0, list[bytes](), 0
    for line in file.lines():
        lines.append(line)
        length += len(line)
        if length >= PIECE:
            yield at, b"".join(lines)
            at, lines, length = at + length, [], 0
    if lines:
        yield at, b"".join(lines)


class RestoredImports:
    """Restores the files of imports: each is stored when its last piece has arrived.

    `finish` stores the last one. A context manager, which leaves no draft behind. Raises
    ObjectsAway.
    """

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._file: tuple[str, str] | None = None
        self._draft: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._draft is not None:
            self._draft.unlink(missing_ok=True)

    def restore_piece(self, line: Line) -> None:
        """Append a piece to those before it; the first piece starts the file again."""
        if not line["at"]:
            self.finish()
            self._file = line["import"], line["name"]
            self._draft = self._uploads.make_draft()
        assert self._draft is not None
        with self._draft.open("ab") as stream:
            stream.write(base64.b64decode(line["data"]))

    def finish(self) -> None:
        """Store the file whose pieces have arrived."""
        if self._file is None or self._draft is None:
            return
        (id, name), files = self._file, self._uploads.files
        with files.lock(id):
            if name == ORIGINAL:
                with self._draft.open("ab") as written:
                    durable.sync(written)
                files.keep(id, self._draft)
            else:
                add_verdicts(files.verdicts(id), self._draft)
        self._draft.unlink(missing_ok=True)
        self._file = None


def add_verdicts(file: LineFile, draft: Path) -> None:
    """Replace an import's verdicts with the lines of a draft."""
    file.truncate(0)
    with draft.open("rb") as lines:
        while some := lines.readlines(PIECE):
            file.append(b"".join(some))
