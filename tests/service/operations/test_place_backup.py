"""Backups that share a place: what is copied, restored, kept and survived."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from hashlib import sha256
from pathlib import Path

import pytest
import redis

from engine.side import Side
from service.archive.archiver import Archiver
from service.archive.collector import BACKUP_LOCK
from service.cli import main
from service.composition.service import Service, compose, now
from service.game.commands import Resign
from service.game.repository import stream_of
from service.log.values import Append
from service.operations.archiving import archive_games
from service.operations.backup_errors import (
    BackupBusy,
    BackupOfAnother,
    NoBackup,
    NotAlone,
    NotPruned,
)
from service.operations.backup_place import BackupPlace
from service.operations.place_backup import back_up_into
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.settings import Settings, read_settings
from tests.service.imports.uploads import read_original
from tests.service.operations.test_archiving import (
    SOON,
    export,
    finish,
    read_feeds,
    trimmed,
)
from tests.service.operations.test_backup import content, imported, played_game, silent
from tests.service.s3_server import BUCKET

Emptied = Callable[[], Settings]
Run = Callable[..., str]


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """A function that runs a command with these or other settings, and returns what it prints."""

    def run(*command: str, on: Settings = settings, status: int = 0) -> str:
        monkeypatch.setenv("MOVELOG_REDIS_URL", on.redis_url)
        monkeypatch.setenv("MOVELOG_DATA_DIR", str(on.data_dir))
        capsys.readouterr()
        assert main(command) == status
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return run


def files(folder: Path) -> dict[str, int]:
    """Every file below a folder, with the time at which it was modified."""
    return {
        str(f.relative_to(folder)): f.stat().st_mtime_ns for f in folder.rglob("*") if f.is_file()
    }


def describe(service: Service, ids: list[str]) -> object:
    """Everything of a service that a restore must preserve."""
    games = [export(service, id) for id in ids]
    beside = [service.log.all_attributes(stream_of(id)) for id in ids]
    return games, beside, read_feeds(service), content(service)


@pytest.mark.slow
def test_later_backups_copy_what_is_new_and_each_is_restored(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    uploaded = imported(service, b"x" * 3_000_000)
    sealed = played_game(service)
    stream = stream_of(sealed)
    version, beside = service.log.version(stream), {"test": "sealed"}
    service.log.append(Append(stream, version, (), now(), "test", attributes=beside))
    finish(service, sealed)
    assert archive_games(service, now() + SOON, silent).streams == 1
    ids = [sealed, *trimmed(service)[0]]
    place = tmp_path / "backups"
    run("backup", f"{place}/")
    first = describe(service, ids)
    kept = files(place)
    assert {folder.stat().st_mode & 0o777 for folder in (place, place / "backups")} == {0o700}

    ids.append(played_game(service))
    finish(service, ids[-1])
    assert archive_games(service, now() + SOON, silent).streams == 1
    assert "of 3.0 MiB copied" not in run("backup", str(place))
    second = describe(service, ids)
    later = files(place)
    assert later.items() > kept.items()
    # The new files are a record, an index, the log, and the new game's segment.
    assert len(later) == len(kept) + 4
    names = [line.split()[0] for line in run("backup", "--list", str(place)).splitlines()[1:]]
    assert [f"backups/{name}.json" in kept for name in names] == [True, False]
    assert run("backup", "--verify", str(place)).startswith("2 backups are whole: ")

    settings = emptied()
    run("restore", str(place), on=settings)
    restored = compose(settings)
    assert describe(restored, ids) == second
    assert read_original(restored.imports.uploads, uploaded) == b"x" * 3_000_000
    assert run("audit", on=settings)
    # The restored service goes on, and is backed up into the same place.
    run("backup", str(place), on=settings)

    data_dir = {"MOVELOG_DATA_DIR": str(tmp_path / "third")}
    other = read_settings({"MOVELOG_REDIS_URL": emptied().redis_url, **data_dir})
    run("restore", str(place), "--backup", names[0], on=other)
    assert describe(compose(other), ids[:-1]) == first


@pytest.mark.slow
def test_old_backups_are_pruned_and_the_others_stay_whole(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    place = tmp_path / "backups"
    place.mkdir()
    ids, _, _ = trimmed(service)
    for _ in range(3):
        played_game(service)
        run("backup", str(place))
    (place / "objects" / "00").mkdir(exist_ok=True)
    (place / "objects" / "00" / ("00" * 32)).write_bytes(b"left by one that was killed")
    known = BackupPlace(place.as_uri()).list()
    printed = run("backup", str(place), "--keep", "2")
    assert "removed: 2 backups, 3 objects" in printed
    left = BackupPlace(place.as_uri()).list()
    assert [one.name for one in left[:1]] == [known[-1].name]
    assert len(left) == 2
    run("backup", "--verify", str(place))
    assert known[0].name in run("restore", str(place), "--backup", known[0].name, status=1)
    before = [export(service, id) for id in ids]
    settings = emptied()
    run("restore", str(place), "--backup", left[0].name, on=settings)
    assert [export(compose(settings), id) for id in ids] == before


def test_a_damaged_place_is_told_before_anything_is_changed(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    place = tmp_path / "backups"
    trimmed(service)
    run("backup", f"{place}/")
    (segment,) = (
        part["objects"][0][0]
        for part in BackupPlace(place.as_uri()).read_index(BackupPlace(place.as_uri()).find(None))
        if "feed" not in part
    )
    file = place / "objects" / segment[:2] / segment
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert segment in run("backup", "--verify", str(place), status=1)
    file.unlink()
    settings = emptied()
    assert "it is missing" in run("restore", str(place), on=settings, status=1)
    with redis.Redis.from_url(settings.redis_url) as store:
        assert store.dbsize() == 0
    assert not settings.data_dir.exists()
    # A damaged record is reported, too.
    file.write_bytes(whole)
    (record,) = (place / "backups").iterdir()
    record.write_text(record.read_text()[:-20])
    assert record.name in run("restore", str(place), on=settings, status=1)


def damage(place: Path, digest: str) -> None:
    """Change a byte of an object, but not its size."""
    file = place / "objects" / digest[:2] / digest
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def find_segment(place: BackupPlace) -> str:
    """The digest of the first object that the newest backup's index names."""
    return str(next(place.read_index(place.list()[-1]))["objects"][0][0])


def test_a_damaged_record_stops_no_other_backup(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, place = tmp_path / "backups", BackupPlace((tmp_path / "backups").as_uri())
    id = played_game(service)
    for _ in range(2):
        run("backup", f"{folder}/")
    old, newest = place.list()
    record = folder / "backups" / f"{old.name}.json"
    text = record.read_bytes()
    record.write_bytes(b"")
    named = f"damaged: {record}: it is not what was written\n"

    assert newest.name in run("backup", "--list", str(folder))
    told = run("backup", "--verify", str(folder), status=1)
    assert told == f"{named}1 of 2 backups cannot be restored: {old.name}\n"
    assert str(record) in run("restore", str(folder), "--backup", old.name, status=1)
    # What that backup needs is not known, so nothing is removed.
    before = files(folder)
    told = run("backup", str(folder), "--keep", "1", status=1)
    assert place.list()[-1].name in told
    assert "--keep removed nothing" in told
    assert "movelog backup" in told
    assert files(folder).items() > before.items()
    with pytest.raises(NotPruned):
        back_up_into(service.settings, place, silent, keep=1)
    capsys.readouterr()
    exports, settings = export(service, id), emptied()
    assert main(["restore", str(folder), "--data-dir", str(settings.data_dir)]) == 0
    assert capsys.readouterr().err == named
    assert export(compose(settings), id) == exports
    # A record that somebody has copied is none of its own.
    copied = folder / "backups" / "copied.json"
    copied.write_bytes((folder / "backups" / f"{newest.name}.json").read_bytes())
    record.write_bytes(text)
    assert f"it is the record of {newest.name}" in run("backup", "--verify", str(folder), status=1)
    copied.unlink()
    assert "removed: 4 backups" in run("backup", str(folder), "--keep", "1")


def test_what_to_do_about_a_damaged_feed_is_told(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    folder, place = tmp_path / "backups", BackupPlace((tmp_path / "backups").as_uri())
    trimmed(service)
    run("backup", f"{folder}/")
    chunk = next(line for line in place.read_index(place.list()[0]) if "feed" in line)
    digest, _ = chunk["objects"][0]
    file = folder / "objects" / digest[:2] / digest
    content = bytearray(file.read_bytes())
    content[chunk["start"] + chunk["length"] // 2] ^= 1
    file.write_bytes(content)
    told = run("restore", str(folder), on=emptied(), status=1)
    assert f"{file} cannot be restored" in told
    assert f"movelog backup {folder}/ --verify names" in told


def test_after_a_damaged_index_everything_is_copied_again(
    service: Service, tmp_path: Path, run: Run
) -> None:
    folder, place = tmp_path / "backups", BackupPlace((tmp_path / "backups").as_uri())
    imported(service, b"x" * 3000)
    trimmed(service)
    run("backup", f"{folder}/")
    damage(folder, find_segment(place))
    damage(folder, place.list()[0].index[0])
    assert "removed: 1 backups" in run("backup", str(folder), "--keep", "1")
    (made,) = place.list()
    assert made.new_bytes == made.bytes
    assert run("backup", "--verify", str(folder)).startswith("1 backups are whole: ")


def test_what_was_found_damaged_is_copied_again(service: Service, tmp_path: Path, run: Run) -> None:
    folder, place = tmp_path / "backups", BackupPlace((tmp_path / "backups").as_uri())
    upload = b"x" * 3000
    imported(service, upload)
    trimmed(service)
    run("backup", f"{folder}/")
    played_game(service)
    run("backup", str(folder))
    segment, piece = find_segment(place), sha256(upload).hexdigest()
    old, newest = place.list()
    for digest in (segment, piece, old.log[0]):
        damage(folder, digest)
    told = run("backup", "--verify", str(folder), status=1)
    assert all(digest in told for digest in (segment, piece, old.log[0]))
    assert f"2 of 2 backups cannot be restored: {old.name}, {newest.name}" in told
    assert "the next movelog backup copies these objects again" in told
    # A log cannot be copied again, but the newest backup and the next are whole.
    run("backup", str(folder))
    told = run("backup", "--verify", str(folder), status=1)
    assert old.log[0] in told
    assert f"1 of 3 backups cannot be restored: {old.name}\n" in told
    assert "removed: 2 backups" in run("backup", str(folder), "--keep", "2")
    assert run("backup", "--verify", str(folder)).startswith("2 backups are whole: ")
    assert not list((folder / "damaged").iterdir())


@pytest.mark.slow
def test_what_changes_while_it_is_copied_is_restored_as_of_one_moment(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    """A game that is copied from Redis goes on and is archived before the directory is read."""
    trimmed(service)
    ends = played_game(service)
    before: list[bytes] = []

    def interfere(done: int, total: int) -> None:
        # The last game has been copied; players and the archive come later.
        if not before and done >= total:
            before.append(export(service, ends))
            scribe = Actor(service.games.load(ends).creator, frozenset({PLAY}))
            service.games.execute(ends, Resign(side=Side.FIRST), scribe)
            tier = service.log.tier
            assert sum(
                done.streams
                for done in Archiver(tier, service.log.archive, now).run([stream_of(ends)])
            )

    place = BackupPlace((tmp_path / "backups").as_uri())
    back_up_into(service.settings, place, interfere)
    assert before
    settings = emptied()
    run("restore", str(tmp_path / "backups"), on=settings)
    restored = compose(settings)
    assert [export(restored, ends)] == before
    # The later end is nowhere: neither in the archive nor in the feed.
    assert not restored.log.archive.find([stream_of(ends)])
    partition = restored.log.partition(stream_of(ends))
    last = max(p.last for p in restored.log.feed(partition) if p.stream == stream_of(ends))
    assert last == restored.log.version(stream_of(ends))
    assert run("audit", on=settings)


PROGRAM = """
import os, signal, sys
from service.operations.backup_cold import SharedColdPart
from service.operations.backup_place import BackupPlace
from service.operations.place_backup import back_up_into
from service.settings import read_settings

wanted, place = sys.argv[1:]
steps = []

def step(done):
    steps.append(done)
    if wanted == f"{done}:{steps.count(done)}":
        os.kill(os.getpid(), signal.SIGKILL)

for name in ("put", "note"):
    def wrapped(self, *given, call=getattr(BackupPlace, name), name=name):
        step(f"before {name}")
        call(self, *given)
        step(name)
    setattr(BackupPlace, name, wrapped)
delete = BackupPlace(place).objects.__class__.delete
def remove(self, name):
    delete(self, name)
    step("removed")
BackupPlace(place).objects.__class__.delete = remove
back_up_into(read_settings(os.environ), BackupPlace(place), lambda done, total: None, 1, step)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "before put:1",
        "put:1",
        "put:2",
        "copied:1",
        "index:1",
        "before note:1",
        "note:1",
        "removed:1",
        "removed:2",
    ],
)
def test_a_kill_leaves_the_earlier_backup_usable(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run, step: str
) -> None:
    ids, exports, _ = trimmed(service)
    place = tmp_path / "backups"
    run("backup", f"{place}/")
    finish(service, ids[3])
    assert archive_games(service, now() + SOON, silent).streams == 1
    command = [sys.executable, "-c", PROGRAM, step, place.as_uri()]
    ended = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    # The lock of the killed process would expire after half a minute.
    service.store.delete(BACKUP_LOCK)
    run("backup", "--verify", str(place))
    is_noted = step.startswith(("note", "removed"))
    settings = emptied()
    run("restore", str(place), on=settings)
    restored = compose(settings)
    assert [export(restored, id) for id in ids[:3]] == exports[:3]
    assert (len(restored.log.read(stream_of(ids[3]))) > 4) == is_noted
    printed = run("backup", str(place), "--keep", "1", on=settings)
    assert "removed" in printed
    (left,) = BackupPlace(place.as_uri()).list()
    needed = {f"objects/{d[:2]}/{d}" for d in BackupPlace(place.as_uri()).list_parts(left)}
    assert set(files(place)) == needed | {f"backups/{left.name}.json"}


@pytest.mark.slow
@pytest.mark.usefixtures("s3")
def test_a_bucket_is_a_place(service: Service, emptied: Emptied, tmp_path: Path, run: Run) -> None:
    ids, exports, feeds = trimmed(service)
    place = f"s3://{BUCKET}/{tmp_path.name}"
    run("backup", place)
    run("backup", place, "--keep", "1")
    assert len(run("backup", "--list", place).splitlines()) == 2
    settings = emptied()
    run("restore", place, on=settings)
    restored = compose(settings)
    assert [export(restored, id) for id in ids] == exports
    assert read_feeds(restored) == feeds


def test_what_a_killed_backup_left_half_written_is_removed(
    service: Service, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "backups"
    run("backup", f"{folder}/")
    for name in ("objects/ab/abcd#1", "objects/ab/abcd#2", "backups/a.json#1"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"half")
    (folder / "of another program#1").write_bytes(b"whole")
    run("backup", str(folder))
    assert "removed: 0 backups, 3 objects" in run("backup", str(folder), "--keep", "3")
    assert [name for name in files(folder) if "#" in name] == ["of another program#1"]


def test_a_backup_made_with_the_clock_ahead_does_not_outlive_later_ones(
    service: Service, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Ahead:
            return cls.fromtimestamp(time.time() + 365 * 24 * 3600, tz)

    folder, place = tmp_path / "backups", BackupPlace((tmp_path / "backups").as_uri())
    with monkeypatch.context() as patched:
        patched.setattr("service.operations.place_backup.datetime", Ahead)
        run("backup", f"{folder}/")
    (ahead,) = place.list()
    for _ in range(2):
        made, (removed, _, _) = back_up_into(service.settings, place, silent, keep=1)
        assert removed == 1
        assert place.list() == [made]
        assert place.find(None) == made
        assert made.name > ahead.name
        assert made.made_at < ahead.made_at


def test_a_place_is_of_one_service(
    service: Service, emptied: Emptied, tmp_path: Path, run: Run
) -> None:
    place = tmp_path / "backups"
    run("backup", f"{place}/")
    before = files(place)
    settings = emptied()
    compose(settings).store.close()
    with pytest.raises(BackupOfAnother) as refused:
        back_up_into(settings, BackupPlace(place.as_uri()), silent)
    told = run("backup", str(place), "--keep", "1", on=settings, status=1)
    assert told == f"movelog: {refused.value}\n"
    assert files(place) == before


def test_a_backup_whose_lock_was_lost_is_none(service: Service, tmp_path: Path) -> None:
    place = BackupPlace((tmp_path / "backups").as_uri())

    def take_over(step: str) -> None:
        service.store.set(BACKUP_LOCK, "another")

    with pytest.raises(BackupBusy):
        back_up_into(service.settings, place, silent, step=take_over)
    assert place.list() == []


@pytest.fixture
def full(service: Service) -> Iterator[Callable[[bool], None]]:
    """A function that fills the store, or makes room."""

    def fill(is_full: bool) -> None:
        service.store.config_set("maxmemory", 1 if is_full else 0)

    yield fill
    fill(False)


def test_nothing_is_removed_while_a_full_store_keeps_no_lock(
    service: Service, tmp_path: Path, full: Callable[[bool], None]
) -> None:
    played_game(service)
    place = BackupPlace((tmp_path / "backups").as_uri())
    first, _ = back_up_into(service.settings, place, silent)
    full(True)
    with pytest.raises(NotAlone, match=r"was made, but --keep removed nothing: the store is full"):
        back_up_into(service.settings, place, silent, keep=1)
    assert place.list()[0] == first
    assert len(place.list()) == 2
    full(False)
    assert back_up_into(service.settings, place, silent, keep=1)[1][0] == 2


def test_a_backup_of_a_full_store_waits_for_one_that_goes_on(
    service: Service, tmp_path: Path, full: Callable[[bool], None]
) -> None:
    place = BackupPlace((tmp_path / "backups").as_uri())
    service.store.set(BACKUP_LOCK, "another", px=3000)
    full(True)
    back_up_into(service.settings, place, silent)
    assert not service.store.exists(BACKUP_LOCK)


@pytest.mark.parametrize("has_ended", [False, True])
def test_a_backup_of_a_full_store_that_another_overtakes_is_none(
    service: Service, tmp_path: Path, full: Callable[[bool], None], has_ended: bool
) -> None:
    """The other one was started when there was room again, and pruned what nobody had noted."""
    place = BackupPlace((tmp_path / "backups").as_uri())

    def overtake(step: str) -> None:
        full(False)
        if has_ended:
            for digest in place.list_objects():
                place.objects.delete(f"objects/{digest[:2]}/{digest}")
        else:
            service.store.set(BACKUP_LOCK, "another")

    full(True)
    with pytest.raises(BackupBusy, match="another movelog backup may write"):
        back_up_into(service.settings, place, silent, step=overtake)
    assert place.list() == []


def test_wrong_uses_are_told(service: Service, tmp_path: Path, run: Run) -> None:
    place = tmp_path / "backups"
    place.mkdir()
    assert "there is no backup in" in run("restore", str(place), status=1)
    with pytest.raises(NoBackup):
        BackupPlace(place.as_uri()).find("another")
    file = tmp_path / "backup.gz"
    run("backup", str(file))
    assert "is whole" in run("backup", "--verify", str(file))
    for wrong in (["backup", str(file), "--keep", "1"], ["backup", str(file), "--list"]):
        assert "for places" in run(*wrong, status=2)
    assert "for places" in run("restore", str(file), "--backup", "a", status=2)
    # The log of a backup in a place is not a backup by itself.
    run("backup", str(place))
    (record,) = (place / "backups").iterdir()
    digest, _ = json.loads(record.read_text())["log"]
    log = place / "objects" / digest[:2] / digest
    assert "it is not a backup in the format" in run("restore", str(log), status=1)
