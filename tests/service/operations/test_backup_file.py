"""The file of a backup: complete, or refused."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.operations.backup_errors import DamagedBackup
from service.operations.backup_file import check, read_lines, write_archive

CONTENT = [{"stream": f"game:{n}", "entries": [["played/1", "ö", "1", "a"]]} for n in range(50)]


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path = tmp_path / "backup.gz"
    with write_archive(path, {"partitions": 64}) as archive:
        for line in CONTENT:
            archive.add(line)
    return path


def test_what_went_in_comes_out(backup: Path) -> None:
    about, count = check(backup)
    assert (about["partitions"], count) == (64, len(CONTENT))
    assert list(read_lines(backup)) == CONTENT
    assert backup.stat().st_mode & 0o777 == 0o600


def test_a_backup_broken_off_leaves_nothing(tmp_path: Path) -> None:
    old = tmp_path / "backup.gz"
    old.write_text("the one before")
    with pytest.raises(TypeError), write_archive(old, {}) as archive:
        archive.add({"stream": b"no JSON"})
    assert [file.read_text() for file in tmp_path.iterdir()] == ["the one before"]


WRITING = """
import sys
from pathlib import Path
from service.operations.backup_file import write_archive
with write_archive(Path(sys.argv[1]), {}) as archive:
    archive.add({"stream": "game:1"})
    print("under way", flush=True)
    sys.stdin.read()
"""


@contextmanager
def written_elsewhere(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that writes a backup until its input ends."""
    command = [sys.executable, "-c", WRITING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"under way\n"
            yield process
        finally:
            process.kill()


def test_a_backup_that_is_killed_leaves_no_half_file(tmp_path: Path) -> None:
    """The file of that name stays as it was, and the next backup removes the unfinished one."""
    old = tmp_path / "monday.gz"
    old.write_text("the one before")
    with written_elsewhere(old) as process:
        process.kill()
        process.wait()
    assert old.read_text() == "the one before"
    # The next backup has another name, as nightly ones do.
    with write_archive(tmp_path / "tuesday.gz", {}):
        pass
    assert sorted(file.name for file in tmp_path.iterdir()) == ["monday.gz", "tuesday.gz"]


def test_a_backup_leaves_others_under_way_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.gz"
    with written_elsewhere(other) as process:
        with write_archive(tmp_path / "own.gz", {}):
            pass
        process.communicate()
    check(other)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other.gz", "own.gz"]


def test_a_file_cut_off_anywhere_is_refused(backup: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    for size in range(0, len(whole), 7):
        backup.write_bytes(whole[:size])
        with pytest.raises(DamagedBackup):
            check(backup)


def test_an_altered_byte_is_noticed(backup: Path) -> None:
    whole = backup.read_bytes()
    # The first bytes are gzip's header, whose time and system may have any value.
    for at in range(20, len(whole), 5):
        backup.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with pytest.raises(DamagedBackup):
            check(backup)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is truncated"),
        ('{"format":"movelog-backup/1"}\n', "it is truncated"),
        ('{"format":"movelog-backup/9"}\n', "it is not a backup in the format movelog-backup/2"),
        ('{"end":0,"sha256":""}\n', "it is not a backup in the format movelog-backup/2"),
        ("no JSON\n", "one of its lines is not JSON"),
        ("[1]\n", "one of its lines is not a JSON object"),
        (
            '{"format":"movelog-backup/1"}\n{"end":1,"sha256":"0"}\n',
            "its digest does not match its contents",
        ),
    ],
)
def test_what_is_no_backup_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "backup.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DamagedBackup) as refused:
        check(path)
    assert str(refused.value) == f"{path} cannot be restored: {reason}"


def test_nothing_may_stand_behind_the_end(backup: Path) -> None:
    text = gzip.decompress(backup.read_bytes())
    backup.write_bytes(gzip.compress(text + b"{}\n"))
    with pytest.raises(DamagedBackup) as refused:
        check(backup)
    assert refused.value.reason == "there is more data after its end"


def test_a_file_that_is_not_gzipped_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "backup.gz"
    path.write_text('{"format":"movelog-backup/1"}\n')
    with pytest.raises(DamagedBackup) as refused:
        check(path)
    assert refused.value.reason == "it is not gzipped, or it was altered"
