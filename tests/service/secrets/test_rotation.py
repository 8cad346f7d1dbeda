"""`movelog key rotate`: a new key while the service runs, also after an interruption."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from service.archive.archiver import Archiver
from service.archive.collector import OWNER
from service.archive.directory import FILE
from service.archive.errors import DirectoryAway
from service.archive.sealed_parts import pack_attributes, unpack_attributes
from service.archive.tiered import TieredEventLog
from service.archive.unnamed import ATTRIBUTES, name_object
from service.cli import main
from service.composition.service import compose
from service.log.values import Append
from service.operations.backup import back_up
from service.operations.choice_key_rotation import reseal, reseal_all, rotate
from service.operations.errors import KeyBusy
from service.operations.restore import restore
from service.player.repository import NewPlayer
from service.secrets import keyfile
from service.secrets.errors import CannotUnseal
from service.secrets.key_source import KeyFile
from service.secrets.private_fields import PrivateFields
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import Vault, read_keys
from service.settings import read_settings
from tests.service.api.client import Api
from tests.service.archive.support import archive_all, make_directory
from tests.service.redis_server import RedisServer
from tests.service.secrets.kerd import NONCE, OTHER, choose, chosen, infiltrators, kerd
from tests.waiting import eventually, join


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


def stored(api: Api) -> StoredKeys:
    return StoredKeys(api.service.store)


@pytest.fixture
def vault(api: Api) -> Vault:
    """A vault with the same keys, as in another process."""
    return Vault(KeyFile(api.service.settings.choice_key_file))


def sealed(api: Api) -> dict[str, str]:
    """The attributes of all games, by stream and name."""
    log = api.service.log
    return {
        f"{stream} {name}": value
        for stream in log.streams("game")
        for name, value in log.all_attributes(stream).items()
    }


def test_all_secrets_are_sealed_anew_and_the_old_key_goes(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    path, other = chosen(api, ada, brahim), kerd(api, ada, brahim)
    choose(api, other, brahim, "e2")
    before, (old,) = sealed(api), read_keys(vault.source)
    assert rotate(api.service.log, vault, silent, stored(api), pause=0).attributes == 3
    after, (new,) = sealed(api), read_keys(vault.source)
    assert new != old
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in after)
    assert api.service.settings.choice_key_file.stat().st_mode & 0o777 == 0o600
    # In the running process, and in a new one, which has to open what is stored.
    for running in (api, Api(compose(api.service.settings))):
        assert infiltrators(running, path, ada) == "f11/?"
        assert infiltrators(running, other, brahim) == "?/e2"
    assert choose(api, other, ada, "e12").status_code == 200
    api.play(other, ada, "e4")
    log = api.service.log
    assert [log.version(stream) for stream in log.streams("game")].count(5) == 1
    assert rotate(log, vault, silent, stored(api), pause=0).attributes == 4


def test_secrets_of_archived_games_are_sealed_anew(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    path, other = chosen(api, ada, brahim), kerd(api, ada, brahim)
    choose(api, other, ada, "f11")
    log = api.service.log
    assert archive_all(log) == 2
    before = sealed(api)
    assert rotate(log, vault, silent, stored(api), pause=0).attributes == 3
    after = sealed(api)
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in after)
    assert log.redis.streams("game") == []
    fresh = Api(compose(api.service.settings))
    assert infiltrators(fresh, path, ada) == "f11/?"
    fresh.play(path, ada, "e4")
    assert infiltrators(Api(compose(api.service.settings)), path, brahim) == "?/d1"
    assert rotate(log, vault, silent, stored(api), pause=0).attributes == 5
    assert infiltrators(Api(compose(api.service.settings)), other, ada) == "f11/?"


def test_what_no_archived_game_needs_is_left_and_told(
    api: Api,
    ada: NewPlayer,
    brahim: NewPlayer,
    vault: Vault,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Another service, now gone, has sealed it with a key that this one never had."""
    chosen(api, ada, brahim)
    log, settings = api.service.log, api.service.settings
    assert archive_all(log) == 1
    (held,) = log.archive.directory.list_held()
    beside = {"private:3": "sealed with an unknown key"}
    own = log.archive.objects.get(name_object(ATTRIBUTES, held.segment))
    others = {
        name_object(ATTRIBUTES, "a" * 64): {str(held.stream): beside},
        name_object(ATTRIBUTES, held.segment): unpack_attributes(own) | {"game:gone": beside},
    }
    for name, by_stream in others.items():
        log.archive.objects.put(name, pack_attributes(by_stream))
    monkeypatch.setenv("MOVELOG_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(settings.data_dir))
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert main(["key", "rotate"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("2 secrets sealed with a new key\nfiles below attributes/ ")
    assert told.endswith(", left as they are: 1\n")
    for name, by_stream in others.items():
        kept = unpack_attributes(log.archive.objects.get(name))
        assert [one for one in by_stream if kept[one] == beside]
    assert rotate(log, vault, silent, stored(api), pause=0).attributes == 2


def test_a_lost_directory_keeps_every_key(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    """An empty one, or an older copy, names no archived game that the old key has sealed."""
    path = chosen(api, ada, brahim)
    log = api.service.log
    assert archive_all(log) == 1
    (old,) = read_keys(vault.source)
    for end in ("", "-wal", "-shm"):
        (api.service.settings.data_dir / (FILE + end)).unlink(missing_ok=True)
    fresh = compose(api.service.settings)
    with pytest.raises(DirectoryAway, match="--make-directory"):
        rotate(fresh.log, vault, silent, stored(api), pause=0)
    assert old in read_keys(vault.source)
    make_directory(fresh.log)
    fresh.log.tier.note_directory(fresh.log.archive.directory, anew=True)
    assert rotate(fresh.log, vault, silent, stored(api), pause=0).attributes == 2
    assert infiltrators(Api(compose(api.service.settings)), path, ada) == "f11/?"


def interrupt_archiver(log: TieredEventLog) -> None:
    """Archive all games, but stop before they are noted in the directory."""

    def step(done: str) -> None:
        if done == "segment":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Archiver(log.tier, log.archive, lambda: 1000, step).run(log.redis.streams("game")))


def test_what_a_killed_archiver_left_is_sealed_anew(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    """A directory that is made again notes it, and then every rotation failed."""
    path = chosen(api, ada, brahim)
    log = api.service.log
    interrupt_archiver(log)
    assert log.archive.directory.count()[0] == 0
    done = rotate(log, vault, silent, stored(api), pause=0)
    assert (done.attributes, done.left) == (4, 0)
    assert make_directory(log) == 1
    assert rotate(log, vault, silent, stored(api), pause=0).attributes == 4
    assert infiltrators(Api(compose(api.service.settings)), path, ada) == "f11/?"


def test_what_a_service_that_goes_on_has_left_is_not_sealed_anew(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    """A second service with the same keys, in the same object store, lacks the new key."""
    chosen(api, ada, brahim)
    log = api.service.log
    interrupt_archiver(log)
    log.archive.objects.put(OWNER, b"another directory")
    (name,) = (found.name for found in log.archive.objects.list(ATTRIBUTES))
    before = log.archive.objects.get(name)
    done = rotate(log, vault, silent, stored(api), pause=0)
    assert (done.attributes, done.left) == (2, 1)
    assert log.archive.objects.get(name) == before


def test_a_rotation_that_is_broken_off_is_begun_again(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    paths = [kerd(api, ada, brahim) for _ in range(4)]
    for path in paths:
        choose(api, path, ada, "f11")

    def breaks(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rotate(api.service.log, vault, breaks, stored(api), pause=0)
    assert len(read_keys(vault.source)) == 2
    fresh = Api(compose(api.service.settings))
    assert {infiltrators(fresh, path, ada) for path in paths} == {"f11/?"}
    assert rotate(api.service.log, vault, silent, stored(api), pause=0).attributes == 4
    assert len(read_keys(vault.source)) == 1
    fresh = Api(compose(api.service.settings))
    assert {infiltrators(fresh, path, ada) for path in paths} == {"f11/?"}


def test_a_secret_sealed_with_the_old_key_meanwhile_is_not_lost(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, late = chosen(api, ada, brahim), kerd(api, ada, brahim)
    (old,) = read_keys(vault.source)
    slow = Path(api.service.settings.data_dir) / "as it was"
    slow.write_bytes(old + b"\n")

    def arrives(seconds: float) -> None:
        # A request that read the key earlier reaches the log only now.
        monkeypatch.setattr(
            "service.operations.choice_key_rotation.time.sleep", lambda seconds: None
        )
        late_fields = PrivateFields(Vault(KeyFile(slow)))
        quick, api.service.games.private = api.service.games.private, late_fields
        choose(api, late, ada, "e11")
        api.service.games.private = quick

    monkeypatch.setattr("service.operations.choice_key_rotation.time.sleep", arrives)
    assert rotate(api.service.log, vault, silent, stored(api)).attributes == 3
    assert len(read_keys(vault.source)) == 1
    fresh = Api(compose(api.service.settings))
    assert infiltrators(fresh, late, ada) == "e11/?"
    assert infiltrators(fresh, path, ada) == "f11/?"


def test_games_that_go_on_meanwhile_are_sealed_anew_as_well(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = chosen(api, ada, brahim)
    (stream,) = api.service.log.streams("game")
    vault.add_key()
    log, moves = api.service.log, iter(("e4", "e10"))
    append = log.append

    def overtaken(request: Append) -> int:
        # Whenever the rotation is about to write, a player writes first.
        token = next(moves, None)
        if token and not request.events:
            monkeypatch.setattr(log, "append", append)
            api.play(path, ada if token == "e4" else brahim, token)
            monkeypatch.setattr(log, "append", overtaken)
        return append(request)

    monkeypatch.setattr(log, "append", overtaken)
    assert reseal(log, vault, stream) == 2
    assert next(moves, None) is None
    assert reseal(log, vault, stream) == 0
    assert log.version(stream) == 6


def test_one_process_rotates_at_a_time(api: Api, vault: Vault) -> None:
    before = read_keys(vault.source)
    with (
        keyfile.hold_file(api.service.settings.choice_key_file),
        pytest.raises(KeyBusy, match=r"another movelog is rotating .*choice\.key"),
    ):
        rotate(api.service.log, vault, silent, stored(api), pause=0)
    assert read_keys(vault.source) == before
    assert rotate(api.service.log, vault, silent, stored(api), pause=0).attributes == 0


def test_no_draft_of_a_killed_rotation_stays(api: Api, vault: Vault) -> None:
    file = api.service.settings.choice_key_file
    old = file.read_bytes()
    abandoned, written = (file.with_name(f"{file.name}.{digit * 16}") for digit in "0f")
    others = {file.with_name(f"{file.name}.{end}") for end in ("lock", "of-last-year")}
    for other in (abandoned, written, *others):
        other.write_bytes(old)
    with written.open() as handle:
        # Its writer is alive.
        fcntl.flock(handle, fcntl.LOCK_EX)
        rotate(api.service.log, vault, silent, stored(api), pause=0)
    assert set(file.parent.glob("choice.key.*")) == {written, *others}
    vault.add_key()
    assert set(file.parent.glob("choice.key.*")) == others


def test_a_key_that_cannot_be_written_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill)
    for write in (keyfile.make_once, keyfile.replace_file):
        with pytest.raises(OSError, match="No space left"):
            write(tmp_path / "choice.key", b"key")
    assert list(tmp_path.iterdir()) == []


def test_a_secret_that_no_key_opens_keeps_every_key(
    api: Api, ada: NewPlayer, brahim: NewPlayer, vault: Vault
) -> None:
    chosen(api, ada, brahim)
    (stream,) = api.service.log.streams("game")
    version = api.service.log.version(stream)
    damage = Append(
        stream=stream,
        expected=version,
        events=(),
        at=0,
        by="x",
        attributes={"private:3": "damaged"},
    )
    api.service.log.append(damage)
    with pytest.raises(CannotUnseal):
        rotate(api.service.log, vault, silent, stored(api), pause=0)
    assert len(read_keys(vault.source)) == 2


@pytest.mark.slow
def test_players_play_and_choose_while_keys_are_rotated(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    own = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
    settings = read_settings(own | {"MOVELOG_RATE_LIMIT": ""})
    apis = [Api(compose(settings)) for _ in range(2)]
    ada, brahim = apis[0].player("Ada"), apis[0].player("Brahim")
    played: list[str] = []
    done = threading.Event()

    def play() -> None:
        while not done.is_set():
            path = kerd(apis[0], ada, brahim)
            choose(apis[0], path, ada, "f11")
            choose(apis[1], path, brahim, "d1")
            apis[1].play(path, ada, "X:d1")
            played.append(path)

    player = threading.Thread(target=play)
    player.start()
    vault = Vault(KeyFile(settings.choice_key_file))
    log = compose(settings).log
    eventually(lambda: played or not player.is_alive(), "a game is played")
    assert played
    for _ in range(5):
        rotate(log, vault, silent, stored(apis[0]), pause=0.1)
    done.set()
    join(player)
    assert len(read_keys(vault.source)) == 1
    assert not reseal_all(log, vault, silent)
    fresh = Api(compose(settings))
    assert {infiltrators(fresh, path, ada) for path in played} == {"f11/?"}
    assert {infiltrators(fresh, path, brahim) for path in played} == {"?/x"}


def test_a_backup_holds_the_keys_of_what_it_holds(
    api: Api, ada: NewPlayer, brahim: NewPlayer, redis_server: RedisServer, tmp_path: Path,
    vault: Vault, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = chosen(api, ada, brahim)
    settings = api.service.settings
    archive = tmp_path / "backup.gz"
    rotated: list[int] = []

    def halfway(done: int, total: int) -> None:
        if not rotated:
            done_once = rotate(api.service.log, vault, silent, stored(api), pause=0)
            rotated.append(done_once.attributes)

    back_up(settings, archive, halfway)
    assert rotated
    with redis_server.client() as client:
        client.flushall()
    own: dict[str, Any] = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_RATE_LIMIT": ""}
    elsewhere = read_settings(own | {"MOVELOG_DATA_DIR": str(tmp_path / "elsewhere")})
    restore(elsewhere, archive, silent)
    assert elsewhere.choice_key_file.stat().st_mode & 0o777 == 0o600
    restored = Api(compose(elsewhere))
    assert infiltrators(restored, path, ada) == "f11/?"
    # Nonces stay used for ever, also where a backup is restored.
    again = kerd(restored, ada, brahim)
    for nonce in (NONCE, OTHER):
        assert choose(restored, again, ada, "f11", nonce=nonce).status_code == 422
