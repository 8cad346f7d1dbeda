from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.environment import BadSetting
from service.secrets.key_source import KeyFile
from service.secrets.service_secret import read_service_secret
from service.settings import read_settings

ELSEWHERE = {"MOVELOG_REDIS_URL": "redis://localhost"}


def test_the_key_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    settings = read_settings({"MOVELOG_DATA_DIR": str(tmp_path / "deep" / "data")} | ELSEWHERE)
    secret = read_service_secret(KeyFile(settings.secret_file))
    assert len(secret) == 32
    assert read_service_secret(KeyFile(settings.secret_file)) == secret
    assert stat.S_IMODE(settings.secret_file.stat().st_mode) == 0o600
    assert list(settings.data_dir.iterdir()) == [settings.secret_file]


def test_processes_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    for round in range(20):
        settings = read_settings({"MOVELOG_DATA_DIR": str(tmp_path / str(round))} | ELSEWHERE)
        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(read_service_secret, [KeyFile(settings.secret_file)] * 4))) == 1


def test_a_damaged_key_is_not_replaced(tmp_path: Path) -> None:
    settings = read_settings({"MOVELOG_DATA_DIR": str(tmp_path)} | ELSEWHERE)
    settings.secret_file.write_bytes(b"short")
    with pytest.raises(BadSetting, match="restore it from a backup"):
        read_service_secret(KeyFile(settings.secret_file))
    assert settings.secret_file.read_bytes() == b"short"
