"""The archive's directory, built again from objects of which some are those of a lost log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.archive import archive as archives
from service.archive.directory import FILE
from service.archive.restored_segments import RESTORED
from service.archive.segment import pack_segment
from service.composition.service import Service, compose, now
from service.game.repository import stream_of
from service.operations.archiving import archive_games, make_directory
from service.operations.backup import back_up
from service.operations.backup_place import BackupPlace
from service.operations.place_backup import back_up_into
from service.operations.restore import restore
from service.settings import Settings
from tests.service.operations.test_archiving import SOON, export, finish
from tests.service.operations.test_backup import played_game, silent
from tests.service.operations.test_restore_target import (
    append_beside,
    archived_game,
    read_objects,
    restore_place,
)

pytestmark = pytest.mark.slow

Emptied = Callable[[], Settings]


def into_a_place(folder: Path, live: Settings) -> Callable[[Settings], None]:
    """Back up into a place; returns what restores the backup."""
    place = BackupPlace((folder / "backups").as_uri())
    back_up_into(live, place, silent)
    return lambda settings: restore_place(place, settings, own_objects=True)


def into_a_file(folder: Path, live: Settings) -> Callable[[Settings], None]:
    """Back up into a file; returns what restores it."""
    file = folder / "backup.gz"
    back_up(live, file, silent)

    def put_back(settings: Settings) -> None:
        restore(settings, file, silent, own_objects=True)

    return put_back


def archive_everything(service: Service, *ids: str) -> None:
    """Finish these games and archive everything."""
    for id in ids:
        finish(service, id)
    archive_games(service, now() + SOON, silent)


def remake_directory(settings: Settings) -> Service:
    """Lose a service's directory, and build it again."""
    for end in ("", "-wal", "-shm"):
        (settings.data_dir / (FILE + end)).unlink(missing_ok=True)
    service = compose(settings)
    make_directory(service, silent)
    return compose(settings)


@pytest.mark.parametrize("back_up_service", [into_a_place, into_a_file])
@pytest.mark.parametrize("is_named", [True, False])
def test_games_of_a_lost_log_stay_out_of_a_directory_that_is_made_again(
    service: Service,
    emptied: Emptied,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    back_up_service: Callable[[Path, Settings], Callable[[Settings], None]],
    is_named: bool,
) -> None:
    """Segments of earlier versions do not name their log: they are compared with its feed."""
    if not is_named:
        nameless = lambda streams, log, at: pack_segment(streams, None, at)  # noqa: E731
        monkeypatch.setattr(archives, "pack_segment", nameless)
    live = service.settings
    old, going_on, changed = archived_game(service), played_game(service), archived_game(service)
    put_back = back_up_service(tmp_path, live)
    # What the lost log went on with.
    append_beside(service, changed, "changed and lost")
    append_beside(service, going_on, "lost")
    archive_everything(service, going_on)
    archived_game(service)
    before = export(service, old)
    settings = replace(emptied(), objects_url=live.objects_url)
    put_back(settings)
    made = remake_directory(settings)
    held = {held.stream.id for held in made.log.archive.directory.list_held()}
    assert held == {old, changed}
    assert export(made, old) == before
    if is_named:
        assert made.log.all_attributes(stream_of(changed)) == {"test": "sealed"}
    # What the restored log goes on with differs.
    finish(made, going_on)
    kept = export(made, going_on)
    archive_everything(made)
    assert made.log.redis.streams("game") == []
    again = remake_directory(settings)
    assert export(again, going_on) == kept
    assert {s.id for s in again.log.streams("game")} == {old, going_on, changed}
    # What the log was restored with is not noted where an earlier version restored it.
    for name in read_objects(settings, RESTORED):
        again.log.archive.objects.delete(name)
    again = remake_directory(settings)
    assert export(again, going_on) == kept
    assert {s.id for s in again.log.streams("game")} == {old, going_on, changed}
