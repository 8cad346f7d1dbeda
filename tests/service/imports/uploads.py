"""Uploads made by tests, and their content."""

from __future__ import annotations

from pathlib import Path

from service.imports.local_files import LocalFiles
from service.imports.uploads import Uploads

MOST = 1 << 20


def local_uploads(folder: Path, spare: int = 0) -> Uploads:
    """Uploads kept in a folder, which leave `spare` bytes of the disk free beyond the reserve."""
    return Uploads(folder / "imports", LocalFiles(folder / "imports"), MOST, spare)


def read_original(uploads: Uploads, id: str) -> bytes:
    """The file of an import, as it was uploaded."""
    file, size = uploads.open_original(id)
    with file:
        content = file.read()
    assert len(content) == size
    return content
