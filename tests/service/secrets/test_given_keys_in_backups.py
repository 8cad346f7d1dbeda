"""Backups of a service whose keys the operator gives."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest
import redis

from service.composition.service import compose
from service.operations.backup import back_up
from service.operations.given_key_files import make_key_files
from service.operations.restore import restore
from service.secrets.errors import NoKeys, OtherKeys
from service.settings import Settings, read_settings
from tests.service.api.client import Api
from tests.service.secrets.given_keys import (
    VARIABLES,
    Start,
    environment,
    mounted,
    name_files,
    start,
)
from tests.service.secrets.kerd import choose, kerd

__all__ = ["environment", "mounted", "start"]


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.fixture
def backup(start: Start, tmp_path: Path) -> Path:
    """A backup of a service with given keys, which holds a secret choice."""
    service = start("a")
    api = Api(service)
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = kerd(api, ada, brahim)
    choose(api, path, ada, "f11")
    back_up(service.settings, tmp_path / "backup.gz", silent)
    service.store.flushall()
    return tmp_path / "backup.gz"


def settings_without(environment: dict[str, str], folder: Path) -> Settings:
    own = {name: value for name, value in environment.items() if not name.endswith("_FILE")}
    return read_settings({**own, "MOVELOG_DATA_DIR": str(folder)})


def test_a_backup_does_not_hold_keys_that_are_given(
    backup: Path, environment: dict[str, str], tmp_path: Path, mounted: Path
) -> None:
    text = gzip.decompress(backup.read_bytes())
    for key in ("secret.key", "choice.key", "signing.key"):
        assert base64.b64encode((mounted / key).read_bytes()) not in text
    make_key_files(tmp_path / "others")
    with pytest.raises(NoKeys):
        restore(settings_without(environment, tmp_path / "none"), backup, silent)
    others = environment | name_files(tmp_path / "others")
    with pytest.raises(OtherKeys):
        restore(read_settings({**others, "MOVELOG_DATA_DIR": str(tmp_path / "b")}), backup, silent)
    with redis.Redis.from_url(environment["MOVELOG_REDIS_URL"]) as store:
        assert store.dbsize() == 0
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    restore(given, backup, silent)
    assert compose(given).log.streams("game")
    assert not list((tmp_path / "b").glob("*.key"))


def test_a_backup_with_its_keys_is_restored_where_they_are_given(
    environment: dict[str, str], tmp_path: Path, mounted: Path
) -> None:
    own = settings_without(environment, tmp_path / "own")
    service = compose(own)
    ada = Api(service).player("Ada")
    back_up(own, tmp_path / "backup.gz", silent)
    service.store.flushall()
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    with pytest.raises(OtherKeys):
        restore(given, tmp_path / "backup.gz", silent)
    for name in VARIABLES.values():
        (mounted / name).write_bytes((own.data_dir / name).read_bytes())
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    restore(given, tmp_path / "backup.gz", silent)
    assert compose(given).players.load(ada.id).registered_at
    assert not list((tmp_path / "b").glob("*.key"))
