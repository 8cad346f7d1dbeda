"""The file of exported records saves work, and never differs from the log."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from service.records import kept_exports
from service.records.kept_exports import AGE, NAME, Found, KeptExports
from service.records.kept_record import KeptRecord
from service.storage import spare_file

SECRET = b"s" * 32
HASH = "0" * 64


def record(text: bytes = b"1. Pd1 0-1\n") -> KeptRecord:
    return KeptRecord("katruji", ["a", None], "key", HASH, b"x\n", [b"y\n", b"h", b"", b"s", text])


def some(count: int) -> dict[str, Found]:
    return {f"game{number}": (f"head{number}", record()) for number in range(count)}


@pytest.fixture
def kept(tmp_path: Path) -> KeptExports:
    return KeptExports(tmp_path, SECRET)


def test_what_is_kept_is_found(kept: KeptExports) -> None:
    assert kept.find(["game0"]) == {}
    kept.keep(some(3))
    assert kept.find(["game2", "game0", "unknown"]) == {k: some(3)[k] for k in ("game2", "game0")}
    assert kept.find([]) == {}


def test_a_newer_record_takes_the_place_of_an_older_one(kept: KeptExports) -> None:
    kept.keep(some(1))
    newer = {"game0": ("another", record(b"1. Pd2 0-1\n"))}
    kept.keep(newer)
    assert kept.find(["game0"]) == newer


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE record SET body = replace(CAST(body AS TEXT), 'Pd1', 'Pd2')",
        "UPDATE record SET head = 'forged'",
        "UPDATE record SET id = 'game1' WHERE id = 'game0'",
        "UPDATE record SET code = zeroblob(32)",
    ],
)
def test_a_forged_row_is_not_believed(kept: KeptExports, change: str) -> None:
    kept.keep(some(1))
    with closing(sqlite3.connect(kept.path)) as database, database:
        database.execute(change)
    assert kept.find(["game0", "game1"]) == {}


def test_another_secret_and_another_release_are_not_believed(
    kept: KeptExports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep(some(1))
    assert KeptExports(tmp_path, b"t" * 32).find(["game0"]) == {}
    assert KeptExports(tmp_path, SECRET).find(["game0"]) == some(1)
    monkeypatch.setattr(spare_file, "digest_release", lambda: "another")
    assert KeptExports(tmp_path, SECRET).find(["game0"]) == {}


def test_what_is_old_vanishes(kept: KeptExports, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keep(some(1))
    later = time.time() + AGE + 2
    monkeypatch.setattr("service.records.kept_exports.time.time", lambda: later)
    kept.keep({"new": ("head", record())})
    assert list(kept.find(["game0", "new"])) == ["new"]


def test_what_is_old_is_not_found_where_nothing_was_kept_since(
    kept: KeptExports, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep(some(1))
    later = time.time() + AGE + 2
    monkeypatch.setattr("service.records.kept_exports.time.time", lambda: later)
    assert kept.find(["game0"]) == {}


def test_the_records_of_another_release_make_room(
    kept: KeptExports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep(some(3))
    monkeypatch.setattr(spare_file, "digest_release", lambda: "another")
    KeptExports(tmp_path, SECRET).keep({"new": ("head", record())})
    with closing(sqlite3.connect(kept.path)) as database:
        assert database.execute("SELECT id FROM record").fetchall() == [("new",)]


def test_a_file_that_was_begun_and_never_filled_is_used(kept: KeptExports) -> None:
    kept.path.touch()
    assert kept.find(["game0"]) == {}
    kept.keep(some(1))
    assert kept.find(["game0"]) == some(1)


def test_no_more_is_read_at_once_than_fits(
    kept: KeptExports, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep({f"game{number}": ("head", record(b"x" * 1000)) for number in range(10)})
    monkeypatch.setattr(kept_exports, "READ", 5000)
    assert 2 <= len(kept.find([f"game{number}" for number in range(10)])) < 5


def test_the_file_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 << 16
    monkeypatch.setattr(kept_exports, "MOST", most)
    kept = KeptExports(tmp_path, SECRET)
    for number in range(40):
        kept.keep({f"game{number}": ("head", record(b"x" * 4000))})
    assert kept.path.stat().st_size <= most
    found = kept.find([f"game{number}" for number in range(40)])
    assert 5 < len(found) < 20
    assert "game0" in found


def test_a_damaged_file_is_begun_anew(kept: KeptExports) -> None:
    kept.keep(some(1))
    kept.path.write_bytes(b"no database" * 1000)
    assert kept.find(["game0"]) == {}
    assert not kept.path.exists()
    kept.keep(some(1))
    assert kept.find(["game0"]) == some(1)


def test_a_disk_without_room_is_left_alone(
    kept: KeptExports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spare_file, "measure_spare_room", lambda path: 0)
    kept.keep(some(1))
    assert kept.find(["game0"]) == {}


def test_a_folder_that_is_missing_stops_nobody(tmp_path: Path) -> None:
    kept = KeptExports(tmp_path / "away", SECRET)
    kept.keep(some(1))
    assert kept.find(["game0"]) == {}


def test_the_file_is_its_owners_alone(kept: KeptExports, tmp_path: Path) -> None:
    kept.keep(some(1))
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0


def test_a_file_that_another_process_holds_is_not_waited_for(kept: KeptExports) -> None:
    kept.keep(some(1))
    with closing(sqlite3.connect(kept.path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        assert kept.find(["game0"]) == {}
        assert time.monotonic() - begun < 10
