"""The file of exported records saves work, and never differs from the log."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from service.records import export_cache
from service.records.cached_record import CachedRecord
from service.records.export_cache import AGE, NAME, ExportCache, Found
from service.storage import spare_file

SECRET = b"s" * 32
HASH = "0" * 64


def record(text: bytes = b"1. Pd1 0-1\n") -> CachedRecord:
    return CachedRecord(
        "katruji", ["a", None], "key", HASH, b"x\n", [b"y\n", b"h", b"", b"s", text]
    )


def some(count: int) -> dict[str, Found]:
    return {f"game{number}": (f"head{number}", record()) for number in range(count)}


@pytest.fixture
def cache(tmp_path: Path) -> ExportCache:
    return ExportCache(tmp_path, SECRET)


def test_what_is_cached_is_found(cache: ExportCache) -> None:
    assert cache.find(["game0"]) == {}
    cache.put(some(3))
    assert cache.find(["game2", "game0", "unknown"]) == {k: some(3)[k] for k in ("game2", "game0")}
    assert cache.find([]) == {}


def test_a_newer_record_takes_the_place_of_an_older_one(cache: ExportCache) -> None:
    cache.put(some(1))
    newer = {"game0": ("another", record(b"1. Pd2 0-1\n"))}
    cache.put(newer)
    assert cache.find(["game0"]) == newer


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE record SET body = replace(CAST(body AS TEXT), 'Pd1', 'Pd2')",
        "UPDATE record SET head = 'forged'",
        "UPDATE record SET id = 'game1' WHERE id = 'game0'",
        "UPDATE record SET code = zeroblob(32)",
    ],
)
def test_a_forged_row_is_not_believed(cache: ExportCache, change: str) -> None:
    cache.put(some(1))
    with closing(sqlite3.connect(cache.path)) as database, database:
        database.execute(change)
    assert cache.find(["game0", "game1"]) == {}


def test_another_secret_and_another_release_are_not_believed(
    cache: ExportCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(some(1))
    assert ExportCache(tmp_path, b"t" * 32).find(["game0"]) == {}
    assert ExportCache(tmp_path, SECRET).find(["game0"]) == some(1)
    monkeypatch.setattr(spare_file, "digest_release", lambda: "another")
    assert ExportCache(tmp_path, SECRET).find(["game0"]) == {}


def test_what_is_old_vanishes(cache: ExportCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(some(1))
    later = time.time() + AGE + 2
    monkeypatch.setattr("service.records.export_cache.time.time", lambda: later)
    cache.put({"new": ("head", record())})
    assert list(cache.find(["game0", "new"])) == ["new"]


def test_what_is_old_is_not_found_where_nothing_was_kept_since(
    cache: ExportCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(some(1))
    later = time.time() + AGE + 2
    monkeypatch.setattr("service.records.export_cache.time.time", lambda: later)
    assert cache.find(["game0"]) == {}


def test_the_records_of_another_release_make_room(
    cache: ExportCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(some(3))
    monkeypatch.setattr(spare_file, "digest_release", lambda: "another")
    ExportCache(tmp_path, SECRET).put({"new": ("head", record())})
    with closing(sqlite3.connect(cache.path)) as database:
        assert database.execute("SELECT id FROM record").fetchall() == [("new",)]


def test_a_file_that_was_begun_and_never_filled_is_used(cache: ExportCache) -> None:
    cache.path.touch()
    assert cache.find(["game0"]) == {}
    cache.put(some(1))
    assert cache.find(["game0"]) == some(1)


def test_no_more_is_read_at_once_than_fits(
    cache: ExportCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put({f"game{number}": ("head", record(b"x" * 1000)) for number in range(10)})
    monkeypatch.setattr(export_cache, "READ", 5000)
    assert 2 <= len(cache.find([f"game{number}" for number in range(10)])) < 5


def test_the_file_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 << 16
    monkeypatch.setattr(export_cache, "MOST", most)
    cache = ExportCache(tmp_path, SECRET)
    for number in range(40):
        cache.put({f"game{number}": ("head", record(b"x" * 4000))})
    assert cache.path.stat().st_size <= most
    found = cache.find([f"game{number}" for number in range(40)])
    assert 5 < len(found) < 20
    assert "game0" in found


def test_a_damaged_file_is_begun_anew(cache: ExportCache) -> None:
    cache.put(some(1))
    cache.path.write_bytes(b"no database" * 1000)
    assert cache.find(["game0"]) == {}
    assert not cache.path.exists()
    cache.put(some(1))
    assert cache.find(["game0"]) == some(1)


def test_a_disk_without_room_is_left_alone(
    cache: ExportCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spare_file, "measure_spare_room", lambda path: 0)
    cache.put(some(1))
    assert cache.find(["game0"]) == {}


def test_a_folder_that_is_missing_stops_nobody(tmp_path: Path) -> None:
    cache = ExportCache(tmp_path / "away", SECRET)
    cache.put(some(1))
    assert cache.find(["game0"]) == {}


def test_the_file_is_its_owners_alone(cache: ExportCache, tmp_path: Path) -> None:
    cache.put(some(1))
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0


def test_a_file_that_another_process_holds_is_not_waited_for(cache: ExportCache) -> None:
    cache.put(some(1))
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        assert cache.find(["game0"]) == {}
        assert time.monotonic() - begun < 10
