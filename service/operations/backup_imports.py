"""The uploaded files of imports in a backup, in chunks, as an upload can exceed the memory.

They are copied behind the streams, so that every import that is in a backup has its files there
too, as far as the disk has them. Verdicts that are written meanwhile may be cut off within a line:
an import that goes on drops what its last try had not finished.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from service.imports.repository import KIND
from service.imports.uploads import NAMES, Uploads
from service.log.values import StreamId
from service.operations.backup_file import Line
from service.operations.data_dir import make_private

PIECE: Final = 1 << 20
"""Bytes of a file in one line."""


def upload_lines(uploads: Uploads, streams: Iterable[StreamId]) -> Iterator[Line]:
    """The files of those streams that are imports, in pieces."""
    for id in sorted(stream.id for stream in streams if stream.kind == KIND):
        for name in NAMES:
            for at, data in read_pieces(uploads.file(id, name)):
                yield {
                    "import": id,
                    "name": name,
                    "at": at,
                    "data": base64.b64encode(data).decode(),
                }


def read_pieces(file: Path) -> Iterator[tuple[int, bytes]]:
    """Read a file in pieces, each with its offset; none if the file does not exist."""
    try:
        stream = file.open("rb")
    except FileNotFoundError:
        return
    with stream:
        at = 0
        while (data := stream.read(PIECE)) or not at:
            yield at, data
            if not data:
                return
            at += len(data)


def restore_piece(uploads: Uploads, line: Line) -> None:
    """Put a piece back behind those before it; the first one makes the file anew."""
    file = uploads.file(line["import"], line["name"])
    if not line["at"]:
        make_private(file.parent)
        file.unlink(missing_ok=True)
    with file.open("ab") as stream:
        stream.write(base64.b64decode(line["data"]))
