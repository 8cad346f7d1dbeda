"""A store knows its keys, and refuses processes that have others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from service.cli.commands import main
from service.composition.service import compose
from service.operations.choice_key_rotation import rotate
from service.operations.given_key_files import make_key_files
from service.operations.serving import check_store
from service.records.signer import Signer
from service.secrets.errors import KeyStillNeeded, NoKeys, OtherKeys
from service.secrets.fingerprints import check_keys, compute_fingerprints
from service.secrets.key_source import KeyFile, find_key_sources
from service.secrets.stored_keys import KEYS, StoredKeys
from service.secrets.vault import Vault, read_keys
from service.settings import Settings, read_settings
from tests.service.redis_server import RedisServer

FILES = ("secret.key", "choice.key", "signing.key")


def settings_at(folder: Path, server: RedisServer) -> Settings:
    return read_settings({"MOVELOG_DATA_DIR": str(folder), "MOVELOG_REDIS_URL": server.url})


def check(store: redis.Redis, settings: Settings) -> None:
    sources = find_key_sources(settings)
    check_keys(store, sources, Signer(sources.signing).key_ids)


@pytest.fixture
def mine(tmp_path: Path, redis_server: RedisServer) -> Settings:
    """A data directory whose keys are noted in the store."""
    settings = settings_at(tmp_path / "mine", redis_server)
    with redis_server.client() as store:
        check(store, settings)
    return settings


@pytest.fixture
def copied(tmp_path: Path, mine: Settings, redis_server: RedisServer) -> Settings:
    """A copy of that data directory."""
    shutil.copytree(mine.data_dir, tmp_path / "copied")
    return settings_at(tmp_path / "copied", redis_server)


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


def accepts(server: RedisServer, settings: Settings) -> bool:
    with server.client() as store:
        try:
            check(store, settings)
        except (OtherKeys, KeyStillNeeded):
            return False
    return True


def test_two_data_directories_on_one_store_are_refused(
    mine: Settings, tmp_path: Path, redis_server: RedisServer
) -> None:
    other = settings_at(tmp_path / "other", redis_server)
    make_key_files(other.data_dir)
    for begin in (compose, check_store):
        with pytest.raises(OtherKeys) as refused:
            begin(other)
        told = str(refused.value)
        assert told.startswith(f"{other.secret_file} is not the key of this store")
        assert "copy secret.key, choice.key and signing.key from a data directory" in told
    compose(mine).store.close()


@pytest.mark.parametrize("name", FILES)
def test_each_key_counts(
    mine: Settings, copied: Settings, tmp_path: Path, redis_server: RedisServer, name: str
) -> None:
    assert accepts(redis_server, copied)
    (copied.data_dir / name).unlink()
    with redis_server.client() as store, pytest.raises(OtherKeys) as refused:
        check(store, copied)
    assert refused.value.origin == str(copied.data_dir / name)


COMMANDS = pytest.mark.parametrize(
    "command", [["token"], ["audit"], ["rebuild"], ["key", "rotate"], ["key", "rotate-signing"],
                ["projector"], ["worker"], ["web"], ["serve", "--port", "0"]],
    ids=" ".join,
)  # fmt: skip


@pytest.fixture
def refusal(
    mine: Settings,
    tmp_path: Path,
    redis_server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[list[str], str], str]:
    """A function that runs a command with another folder's keys and returns why it is refused."""
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    monkeypatch.setattr("os.nice", lambda increment: 0)

    def refusal(command: list[str], folder: str) -> str:
        monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / folder))
        assert main(command) == 1
        return capsys.readouterr().err

    return refusal


@COMMANDS
def test_every_command_refuses(
    refusal: Callable[[list[str], str], str],
    tmp_path: Path,
    redis_server: RedisServer,
    command: list[str],
) -> None:
    make_key_files(tmp_path / "other")
    assert "secret.key is not the key of this store" in refusal(command, "other")


@COMMANDS
def test_no_command_makes_a_mistyped_directory(
    refusal: Callable[[list[str], str], str], tmp_path: Path, command: list[str]
) -> None:
    told = refusal(command, "mistyped").splitlines()[-1]
    assert "mistyped/secret.key, but the store belongs to a service that has keys" in told or (
        told.startswith(f"movelog: there is no service in {tmp_path / 'mistyped'}")
    )
    assert not (tmp_path / "mistyped").exists()


def test_a_store_with_keys_refuses_a_directory_without(
    mine: Settings, tmp_path: Path, redis_server: RedisServer
) -> None:
    other = settings_at(tmp_path / "other", redis_server)
    for begin in (compose, check_store):
        with pytest.raises(NoKeys, match="name its data directory in MOVELOG_DATA_DIR"):
            begin(other)
        assert not other.data_dir.exists()


def test_rotated_keys_replace_the_old_ones_and_those_alone_are_refused(
    mine: Settings, copied: Settings, redis_server: RedisServer
) -> None:
    Vault(KeyFile(mine.choice_key_file)).add_key()
    Signer(KeyFile(mine.signing_key_file)).rotate()
    assert accepts(redis_server, mine)
    assert not accepts(redis_server, copied)
    whole = mine.choice_key_file.read_bytes()
    Vault(KeyFile(mine.choice_key_file)).drop_old_keys()
    # The secrets sealed with the old key have not been resealed.
    with redis_server.client() as store:
        with pytest.raises(KeyStillNeeded, match="put it back behind the others"):
            check(store, mine)
        mine.choice_key_file.write_bytes(whole)
        rotate(
            compose(mine).log, Vault(KeyFile(mine.choice_key_file)), silent, StoredKeys(store), 0
        )
    assert len(read_keys(KeyFile(mine.choice_key_file))) == 1
    assert accepts(redis_server, mine)


def test_the_command_notes_the_keys_it_has_made(
    mine: Settings, copied: Settings, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(mine.data_dir))
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    assert main(["key", "rotate-signing"]) == 0
    assert not accepts(redis_server, copied)
    shutil.copy(mine.signing_key_file, copied.signing_key_file)
    assert accepts(redis_server, copied)
    monkeypatch.setattr("service.operations.choice_key_rotation.time.sleep", lambda seconds: None)
    assert main(["key", "rotate"]) == 0
    assert not accepts(redis_server, copied)
    shutil.copy(mine.choice_key_file, copied.choice_key_file)
    assert accepts(redis_server, copied)


def test_a_store_without_room_is_begun_all_the_same(
    tmp_path: Path, redis_server: RedisServer
) -> None:
    settings = settings_at(tmp_path, redis_server)
    with redis_server.client() as store:
        store.config_set("maxmemory", 1)
        try:
            check(store, settings)
        finally:
            store.config_set("maxmemory", 0)
        assert not store.exists(KEYS)
        check(store, settings)
        assert store.hlen(KEYS) == len(FILES)


def test_the_store_holds_no_key(mine: Settings, redis_server: RedisServer) -> None:
    with redis_server.client() as store:
        told = b" ".join(store.hgetall(KEYS).values())
    for file in (mine.secret_file, mine.choice_key_file):
        key = file.read_bytes().strip()
        assert key not in told
        assert key.hex().encode() not in told
    sources = find_key_sources(mine)
    assert len(compute_fingerprints(sources, Signer(sources.signing).key_ids)) == len(FILES)


def test_another_store_is_begun_with_any_keys(tmp_path: Path, redis_server: RedisServer) -> None:
    assert accepts(redis_server, settings_at(tmp_path / "mine", redis_server))
    with redis.Redis.from_url(redis_server.url) as store:
        store.flushall()
    assert accepts(redis_server, settings_at(tmp_path / "other", redis_server))
