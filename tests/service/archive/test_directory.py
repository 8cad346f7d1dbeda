"""The directory of the archive, in SQLite and in PostgreSQL."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from service.archive.directory import FILE, Directory, SegmentRow, open_directory
from service.archive.errors import DamagedSegment, DirectoryAway
from service.archive.segment import Entry
from service.archive.unnamed import condemn, name_object
from service.log.values import StreamId
from tests.service.postgresql import PostgresqlServer

A, B, C = (StreamId("game", name) for name in "abc")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Directory:
    """An empty directory."""
    url = None
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        url = server.url()
    made = open_directory(tmp_path, url)
    made.clear()
    return made


def entry(stream: StreamId, version: int, start: int = 0) -> Entry:
    return Entry(stream, start, 10, version, f"{version:064}", sealed=False)


def segment(name: str, made_at: int) -> SegmentRow:
    return SegmentRow(name * 64, 1000, 100, made_at)


def test_a_stream_is_found_where_it_was_put_last(directory: Directory) -> None:
    directory.add(segment("1", 1), [entry(A, 3, 7), entry(B, 5)])
    directory.add(segment("2", 2), [entry(A, 4)])
    found = directory.find([A, B, C])
    assert found.keys() == {A, B}
    assert (found[A].segment, found[A].entry) == (segment("2", 2), entry(A, 4))
    assert found[B].segment == segment("1", 1)
    assert set(directory.streams("game")) == {A, B}
    assert directory.streams("player") == []
    assert directory.count() == (2, 2, 2000)


@pytest.mark.parametrize("turned", [False, True])
def test_the_newest_entry_wins_in_any_order(directory: Directory, turned: bool) -> None:
    puts = [
        (segment("1", 1), [entry(A, 3)]),
        (segment("2", 5), [entry(A, 3, 9)]),
        (segment("3", 4), [entry(A, 2)]),
    ]
    for row, entries in reversed(puts) if turned else puts:
        directory.add(row, entries)
        directory.add(row, entries)
    assert directory.find([A])[A].entry == entry(A, 3, 9)
    assert directory.count()[1] == 3


def test_many_streams_are_asked_for_at_once(directory: Directory) -> None:
    streams = [StreamId("game", str(number)) for number in range(1200)]
    directory.add(segment("1", 1), [entry(stream, 1) for stream in streams])
    assert directory.find(streams).keys() == set(streams)
    assert directory.find([]) == {}


def test_another_process_finds_what_was_put(tmp_path: Path) -> None:
    first, second = (open_directory(tmp_path, None) for _ in range(2))
    first.add(segment("1", 1), [entry(A, 3)])
    assert second.find([A])[A].entry == entry(A, 3)
    assert first.identity() == second.identity()


def test_a_directory_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(DirectoryAway, match="not a database"):
        open_directory(tmp_path, None).find([A])
    url = f"postgresql:///movelog?host={tmp_path}"
    with pytest.raises(DirectoryAway):
        open_directory(tmp_path, url).find([A])


def test_what_is_condemned_is_never_noted_again(directory: Directory) -> None:
    directory.add(segment("1", 1), [entry(A, 3), entry(B, 3)])
    directory.add(segment("2", 2), [entry(A, 4)])
    names = [name_object("segments", digit * 64) for digit in "123"]

    def look(at: int, before: int) -> set[str]:
        return directory.call(partial(condemn, names, at, before), writing=True)

    assert look(10, 0) == set()
    assert look(20, 9) == set()
    directory.add(segment("3", 3), [entry(C, 1)])
    directory.add(segment("2", 2), [entry(B, 4)])
    # From here on nothing names the first segment, while the third is named.
    assert look(30, 20) == set()
    assert look(40, 30) == {names[0]}
    assert directory.list_condemned() == {names[0]}
    assert directory.count()[:2] == (3, 2)
    with pytest.raises(DamagedSegment, match="nothing had named it"):
        directory.add(segment("1", 1), [entry(A, 9)])
    assert directory.find([A])[A].entry == entry(A, 4)
    directory.clear()
    directory.add(segment("1", 1), [entry(A, 9)])
