"""A file that is reported as kept is on the disk by then, and so is its name."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR

import pytest

from service.imports.local_files import LocalLineFile
from service.imports.verdicts import VerdictFile
from service.operations.backup_file import write_archive
from service.operations.backup_imports import RestoredImports
from service.operations.data_dir import write_private
from service.secrets import keyfile
from tests.service.imports.uploads import local_uploads

CONTENT = b"x" * 1000


class Disk:
    """What has been synced: the size of each file, by inode, and the names in each folder."""

    def __init__(self) -> None:
        self.files: dict[int, int] = {}
        self.folders: dict[Path, set[str]] = {}

    def sync(self, handle: int) -> None:
        """Replaces `os.fsync`."""
        status = os.fstat(handle)
        if S_ISDIR(status.st_mode):
            folder = Path(os.readlink(f"/proc/self/fd/{handle}"))
            self.folders[folder] = {path.name for path in folder.iterdir()}
        else:
            self.files[status.st_ino] = status.st_size

    def has(self, file: Path) -> bool:
        """Whether a power cut now would leave the file whole and under its name."""
        status = file.stat()
        whole = self.files.get(status.st_ino) == status.st_size
        return whole and file.name in self.folders.get(file.parent, ())


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(os, "fsync", disk.sync)
    return disk


def upload(folder: Path) -> Path:
    uploads = local_uploads(folder)
    with uploads.receive(io.BytesIO(CONTENT)) as received:
        uploads.keep("a", received)
    return folder / "imports" / "a" / "original"


def archive(folder: Path) -> Path:
    with write_archive(folder / "backup.gz", {}) as writer:
        writer.add({"stream": "game:1"})
    return folder / "backup.gz"


def made(folder: Path) -> Path:
    keyfile.make_once(folder / "key", CONTENT)
    return folder / "key"


def replaced(folder: Path) -> Path:
    keyfile.replace_file(folder / "key", CONTENT)
    return folder / "key"


def restored(folder: Path) -> Path:
    write_private(folder / "key", CONTENT)
    return folder / "key"


def restored_import(folder: Path) -> Path:
    data = base64.b64encode(CONTENT).decode()
    with RestoredImports(local_uploads(folder)) as imports:
        imports.restore_piece({"import": "a", "name": "original", "at": 0, "data": data})
        imports.finish()
    return folder / "imports" / "a" / "original"


@pytest.mark.parametrize("write", [upload, archive, made, replaced, restored, restored_import])
def test_a_file_that_is_kept_outlives_a_power_cut(
    tmp_path: Path, disk: Disk, write: Callable[[Path], Path]
) -> None:
    file = write(tmp_path)
    assert file.stat().st_size
    assert disk.has(file)


@pytest.mark.parametrize("write", [upload, archive, replaced, restored, restored_import])
def test_a_file_has_its_name_only_when_all_of_it_is_on_the_disk(
    tmp_path: Path, disk: Disk, write: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, seen = Path.replace, []

    def renamed(draft: Path, to: Path) -> Path:
        seen.append(disk.files.get(draft.stat().st_ino) == draft.stat().st_size)
        return rename(draft, to)

    monkeypatch.setattr(Path, "replace", renamed)
    write(tmp_path)
    assert seen == [True]


def test_the_folder_of_an_import_outlives_a_power_cut(tmp_path: Path, disk: Disk) -> None:
    file = upload(tmp_path)
    assert file.parent.name in disk.folders[file.parent.parent]


def test_verdicts_are_on_the_disk_before_they_count(tmp_path: Path, disk: Disk) -> None:
    """An import's checkpoint states the size of their file."""
    path = tmp_path / "verdicts.ndjson"
    file = VerdictFile(LocalLineFile(path))
    for number in (1, 2):
        size = file.add([{"number": number, "status": "accepted"}])
        assert disk.files[path.stat().st_ino] == size == path.stat().st_size
