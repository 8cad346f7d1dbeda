"""Packed files that are made to keep their reader busy."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import pytest
import zstandard

from service.imports.decompression import BITE, CHUNK, MOST_EMPTY, Unpacked, packing_of
from service.imports.errors import DamagedUpload
from tests.service.imports.hostile import EMPTY, HOSTILE

AT_ONCE = 8 << 20
"""The most that one bite may unpack to."""


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_reader_is_heard_of_within_so_many_bytes(make: Callable[[int], bytes]) -> None:
    raw = io.BytesIO(make(1 << 24))
    most, read, passed = 0, 0, 0

    def beat() -> None:
        nonlocal most, read, passed
        most = max(most, raw.tell() - passed)
        read, passed = 0, raw.tell()

    file = Unpacked(raw, packing_of(raw.getvalue()[:4]), 1 << 30, beat=beat)
    while data := file.lines.read1(CHUNK):
        read += len(data)
        assert read <= AT_ONCE
    assert most <= max(BITE, CHUNK)


def test_passing_over_what_was_read_is_heard_of_too() -> None:
    raw, beats = io.BytesIO(HOSTILE["line feeds behind tags"](1 << 24)), []
    Unpacked(raw, packing_of(raw.getvalue()[:4]), 1 << 30, 1 << 24, lambda: beats.append(1))
    assert len(beats) >= (1 << 24) // CHUNK


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_parts_without_content_are_not_read_for_ever(empty: bytes) -> None:
    full = gzip.compress(b"x") if empty[:2] == b"\x1f\x8b" else zstandard.compress(b"x")
    packing = packing_of(full)

    def content(raw: bytes) -> bytes:
        return Unpacked(io.BytesIO(raw), packing, 1 << 30).lines.read()

    assert content((empty * MOST_EMPTY + full) * 2) == b"xx"
    with pytest.raises(DamagedUpload, match="more than 1000 parts without content in a row"):
        content(full + empty * (MOST_EMPTY + 1) + full)


def test_only_gzip_is_padded() -> None:
    padded = gzip.compress(b"x") + bytes(1000)
    assert Unpacked(io.BytesIO(padded), packing_of(padded), 9).lines.read() == b"x"
    padded = zstandard.compress(b"x") + bytes(1000)
    with pytest.raises(DamagedUpload):
        Unpacked(io.BytesIO(padded), packing_of(padded), 9).lines.read()
