"""What a restore refuses to replace, because another service may still use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.archive.collector import find_owner
from service.archive.directory import open_directory
from service.archive.unnamed import ATTRIBUTES
from service.composition.service import Service, compose, now
from service.game.repository import stream_of
from service.log.values import Append
from service.operations.archiving import archive_games, collect_objects
from service.operations.backup import Progress, back_up
from service.operations.backup_errors import ObjectsInUse, OtherKeysThere, RemainsThere
from service.operations.backup_file import PART, check
from service.operations.backup_place import BackupPlace
from service.operations.place_backup import back_up_into
from service.operations.restore import restore
from service.operations.restored_cold import RestoredColdPart, fetch_log
from service.operations.unfinished_restore import RESTORING_KEY
from service.settings import Settings
from service.storage.objects import ObjectStore
from tests.service.operations.test_archiving import SOON, export, finish
from tests.service.operations.test_backup import played_game, silent

Emptied = Callable[[], Settings]


def restore_place(
    place: BackupPlace,
    settings: Settings,
    progress: Progress = silent,
    *,
    own_objects: bool = False,
) -> None:
    """Restore the newest backup of a place."""
    with fetch_log(place, backup := place.find(None)) as file:
        checked, cold = check(file, [PART]), RestoredColdPart(place, backup)
        restore(settings, file, progress, checked, cold, own_objects=own_objects)


def read_objects(settings: Settings, folder: str) -> dict[str, bytes]:
    """The objects of a folder of the store that these settings name."""
    objects = ObjectStore(settings.objects_url)
    return {one.name: objects.get(one.name) for one in objects.list(folder)}


def archived_game(service: Service) -> str:
    """Archive a game with something beside it that keys may have sealed; returns its id."""
    id = played_game(service)
    append_beside(service, id, "sealed")
    finish(service, id)
    assert archive_games(service, now() + SOON, silent).streams == 1
    return id


def append_beside(service: Service, id: str, value: str) -> None:
    """Keep a value beside a game."""
    stream = stream_of(id)
    version, beside = service.log.version(stream), {"test": value}
    service.log.append(Append(stream, version, (), now(), "test", attributes=beside))


def changes_nothing(function: Callable[[], object], settings: Settings) -> bool:
    """Whether a function changes nothing that a service has in these places."""
    places = (settings.data_dir, Path(settings.objects_url.removeprefix("file://")))

    def look() -> object:
        files = (f for place in places for f in sorted(place.rglob("*")) if f.is_file())
        kept = {
            file: file.read_bytes() for file in files if not file.name.endswith(("-wal", "-shm"))
        }
        return kept, open_directory(settings.data_dir, None).count()

    before = look()
    function()
    return look() == before


@pytest.fixture
def place(tmp_path: Path) -> BackupPlace:
    """A place for backups."""
    return BackupPlace((tmp_path / "backups").as_uri())


def test_a_trial_restore_leaves_the_objects_of_the_live_service(
    service: Service, emptied: Emptied, place: BackupPlace
) -> None:
    live = service.settings
    id = archived_game(service)
    before = export(service, id)
    back_up_into(live, place, silent)
    # As after `movelog key rotate`.
    service.log.archive.sealed.reseal(lambda stream, kept: {"test": "sealed anew"}, None, silent)
    resealed = read_objects(live, ATTRIBUTES)
    trial = replace(emptied(), objects_url=live.objects_url)
    with pytest.raises(ObjectsInUse, match="--own-objects"):
        restore_place(place, trial)
    assert not trial.secret_file.exists()
    assert read_objects(live, ATTRIBUTES) == resealed
    # That service is gone.
    restore_place(place, trial, own_objects=True)
    restored = compose(trial)
    assert export(restored, id) == before
    assert restored.log.all_attributes(stream_of(id)) == {"test": "sealed"}
    assert read_objects(live, ATTRIBUTES).items() > resealed.items()
    assert find_owner(restored.log.archive.objects) == restored.log.archive.directory.identity()


def test_the_owner_of_an_object_store_is_asked_for(
    service: Service, emptied: Emptied, place: BackupPlace
) -> None:
    live = service.settings
    archived_game(service)
    collect_objects(service, 1000)
    back_up_into(live, place, silent)
    trial = replace(emptied(), objects_url=live.objects_url)
    with pytest.raises(ObjectsInUse):
        restore_place(place, trial)
    # The service itself has lost its Redis, but neither its directory nor its keys.
    restore_place(place, live)
    restore_place(place, replace(emptied(), objects_url=(trial.data_dir / "objects").as_uri()))


@pytest.mark.parametrize("key", ["secret.key", "choice.key", "signing.key"])
def test_a_data_directory_with_other_keys_is_left_alone(
    service: Service, emptied: Emptied, tmp_path: Path, key: str
) -> None:
    live, file = service.settings, tmp_path / "backup.gz"
    archived_game(service)
    back_up(live, file, silent)
    emptied()
    own = (live.data_dir / key).read_bytes()
    (live.data_dir / key).write_bytes(b"rotated since then")

    def refused() -> None:
        with pytest.raises(OtherKeysThere, match=f"{key} is not the key in the backup"):
            restore(live, file, silent, own_objects=True)

    assert changes_nothing(refused, live)
    with redis.Redis.from_url(live.redis_url) as store:
        assert store.dbsize() == 0
    (live.data_dir / key).write_bytes(own)
    restore(live, file, silent)


def test_what_another_service_left_in_the_database_is_left_alone(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    live, file = service.settings, tmp_path / "backup.gz"
    archived_game(service)
    back_up(live, file, silent)
    emptied()
    # A database on another machine stays, too, where the data directory is new.
    for key in live.key_files:
        key.unlink()

    def refused() -> None:
        with pytest.raises(RemainsThere, match="the directory of 1 archived games of a service"):
            restore(live, file, silent)

    assert changes_nothing(refused, live)
    restore(live, file, silent, own_objects=True)


def test_a_restore_that_was_interrupted_may_replace_what_it_left(
    service: Service, emptied: Emptied, place: BackupPlace
) -> None:
    id = archived_game(service)
    before = export(service, id)
    back_up_into(service.settings, place, silent)
    settings = emptied()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore_place(place, settings, interrupt)
    assert not settings.secret_file.exists()
    assert open_directory(settings.data_dir, None).count()[0] == 1
    with redis.Redis.from_url(settings.redis_url) as store:
        mark = store.get(RESTORING_KEY)
        store.set(RESTORING_KEY, "another restore")
        with pytest.raises(RemainsThere):
            restore_place(place, settings)
        store.set(RESTORING_KEY, mark or b"")
    restore_place(place, settings)
    assert export(compose(settings), id) == before
