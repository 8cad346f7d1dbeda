"""Uploads on disk, and packed files read with flat memory."""

from __future__ import annotations

import errno
import gzip
import io
import os
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard

from service.errors import NotFound
from service.imports.decompression import Packing, Unpacked
from service.imports.errors import DamagedUpload, UnpacksTooLarge
from service.imports.uploads import ABANDONED
from service.storage.capacity import RESERVE
from service.storage.errors import StorageFull
from tests.service.imports.uploads import local_uploads, read_original

GIB = 1 << 30
TEXT = b"".join(b"line %d\n" % number for number in range(50_000))
PACKED = {
    Packing.NONE: TEXT,
    Packing.GZIP: gzip.compress(TEXT),
    Packing.ZSTD: zstandard.ZstdCompressor(write_checksum=True).compress(TEXT),
}


def unpacked(raw: bytes, packing: Packing, most: int = 1 << 30, after: int = 0) -> bytes:
    return Unpacked(io.BytesIO(raw), packing, most, after).lines.read()


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("after", [0, 1, 7, 123_456])
def test_a_file_is_read_from_anywhere(packing: Packing, after: int) -> None:
    assert unpacked(PACKED[packing], packing, after=after) == TEXT[after:]


@pytest.mark.parametrize("packing", [Packing.GZIP, Packing.ZSTD])
def test_packed_parts_behind_one_another_are_one_file(packing: Packing) -> None:
    assert unpacked(PACKED[packing] * 3, packing) == TEXT * 3


@pytest.mark.parametrize("packing", [Packing.GZIP, Packing.ZSTD])
def test_a_packed_file_that_is_cut_off_or_altered_is_told(packing: Packing) -> None:
    raw = PACKED[packing]
    for bad in (raw[:-1], raw[: len(raw) // 2], raw[:100] + b"\xff" * 400 + raw[500:]):
        with pytest.raises(DamagedUpload, match="cannot be unpacked"):
            unpacked(bad, packing)


@pytest.mark.parametrize("packing", PACKED)
def test_what_unpacks_to_too_much_is_told(packing: Packing) -> None:
    assert unpacked(PACKED[packing], packing, len(TEXT)) == TEXT
    with pytest.raises(UnpacksTooLarge, match="more than 1000 bytes"):
        unpacked(PACKED[packing], packing, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_bomb_takes_no_memory(pack: type) -> None:
    bomb: bytes = pack(b"\n" * 200_000_000)
    packing = Packing.GZIP if bomb[:2] == b"\x1f\x8b" else Packing.ZSTD
    file = Unpacked(io.BytesIO(bomb), packing, 150_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(UnpacksTooLarge):
            sum(len(piece) for piece in iter(lambda: file.lines.read(1 << 16), b""))
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_an_upload_is_kept_or_removed(tmp_path: Path) -> None:
    uploads = local_uploads(tmp_path)
    with uploads.receive(io.BytesIO(PACKED[Packing.ZSTD])) as received:
        assert (received.size, received.packing) == (len(PACKED[Packing.ZSTD]), Packing.ZSTD)
        uploads.keep("a", received)
    with uploads.receive(io.BytesIO(b"")) as other:
        assert (other.size, other.packing) == (0, Packing.NONE)
    assert read_original(uploads, "a") == PACKED[Packing.ZSTD]
    assert [path.name for path in uploads.incoming.iterdir()] == ["a"]
    with pytest.raises(NotFound):
        uploads.open_original("b")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_refuses_an_upload_and_keeps_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    uploads = local_uploads(tmp_path)

    def full(file: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFull, match="no room"), uploads.receive(io.BytesIO(TEXT)):
        pytest.fail("it was received")
    assert list(uploads.incoming.iterdir()) == []


def test_an_upload_leaves_the_reserve_of_the_disk_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = local_uploads(tmp_path)
    monkeypatch.setattr("service.imports.uploads.measure_spare_room", lambda folder: -1)
    with pytest.raises(StorageFull), uploads.receive(io.BytesIO(TEXT)):
        pytest.fail("it was received")
    assert list(uploads.incoming.iterdir()) == []


class Disk(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


@pytest.mark.parametrize(
    ("total", "spare", "kept"),
    [
        pytest.param(100 * GIB, 4 * GIB, 4 * GIB, id="a usual disk"),
        pytest.param(8 * GIB, 4 * GIB, GIB, id="a small disk keeps an eighth"),
        pytest.param(100 * GIB, 0, 0, id="nothing"),
    ],
)
def test_uploads_leave_room_for_games_and_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int, spare: int, kept: int
) -> None:
    uploads = local_uploads(tmp_path, spare)
    disk = Disk(total, 0, kept + RESERVE)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: disk)
    with uploads.receive(io.BytesIO(TEXT)) as received:
        assert received.size == len(TEXT)
    disk = disk._replace(free=disk.free - 1)
    with pytest.raises(StorageFull), uploads.receive(io.BytesIO(TEXT)):
        pytest.fail("it was received")
    assert list(uploads.incoming.iterdir()) == []


def test_a_stream_that_breaks_is_no_full_disk(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ConnectionResetError

    uploads = local_uploads(tmp_path)
    with pytest.raises(ConnectionResetError), uploads.receive(Broken()):
        pytest.fail("it was received")
    assert list(uploads.incoming.iterdir()) == []


def test_uploads_that_the_dead_left_behind_are_swept_away(tmp_path: Path) -> None:
    uploads = local_uploads(tmp_path)
    uploads.incoming.mkdir()
    old, new = uploads.incoming / ".old", uploads.incoming / ".new"
    for path in (old, new):
        path.write_bytes(b"x")
    long_ago = time.time() - ABANDONED - 1
    os.utime(old, (long_ago, long_ago))
    with uploads.receive(io.BytesIO(b"y")):
        pass
    assert [path.name for path in uploads.incoming.iterdir()] == [".new"]


def test_an_upload_may_end_while_another_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = local_uploads(tmp_path)
    glob = Path.glob

    def with_one_that_ends(folder: Path, pattern: str) -> Iterator[Path]:
        yield folder / ".ended"
        yield from glob(folder, pattern)

    monkeypatch.setattr(Path, "glob", with_one_that_ends)
    with uploads.receive(io.BytesIO(TEXT)) as received:
        uploads.keep("a", received)
    assert read_original(uploads, "a") == TEXT


def test_the_file_of_an_import_is_discarded_once(tmp_path: Path) -> None:
    uploads = local_uploads(tmp_path)
    with uploads.receive(io.BytesIO(TEXT)) as received:
        uploads.keep("a", received)
    assert [uploads.discard("a"), uploads.discard("a")] == [len(TEXT), 0]
