"""The data directory: private, one process at a time."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from threading import Event, Thread, Timer, current_thread

import pytest

from service.cli import main
from service.operations.data_dir import (
    address_file,
    check_owner,
    is_locked,
    lock_data_dir,
    write_private,
)
from service.operations.errors import AlreadyServed, OwnedByAnother
from tests.waiting import join


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_directory_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    data_dir = tmp_path / "deep" / "data"
    with lock_data_dir(data_dir):
        assert mode(data_dir) == 0o700
        with pytest.raises(AlreadyServed) as refused, lock_data_dir(data_dir):
            pass
    assert str(refused.value) == (
        f"{data_dir} is in use by another movelog (process {os.getpid()});"
        " stop it first, or use another --data-dir"
    )
    with lock_data_dir(data_dir):
        pass


def test_who_only_looks_whether_a_directory_is_held_keeps_nobody_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service once took a command that looked as it started for another running service."""
    with lock_data_dir(tmp_path):
        pass
    looking, looked = Event(), Event()
    close = os.close

    def close_late(handle: int) -> None:
        if current_thread() is command:
            looking.set()
            looked.wait(30)
        close(handle)

    command = Thread(target=is_locked, args=(tmp_path,))
    monkeypatch.setattr(os, "close", close_late)
    monkeypatch.setattr("service.operations.data_dir.LOOK", 30.0)
    command.start()
    assert looking.wait(30)
    Timer(0.1, looked.set).start()
    with lock_data_dir(tmp_path):
        assert looked.is_set()
    join(command)


@pytest.fixture
def of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of another user's service, as root sees it."""
    with lock_data_dir(tmp_path):
        pass
    if os.geteuid() == 0:
        os.chown(tmp_path / "lock", 65534, 65534)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path


@pytest.mark.parametrize(
    "command", ["serve --port 0", "token", "key rotate", "rebuild", "backup FOLDER/backup"]
)
def test_root_makes_no_files_that_the_service_could_not_read(
    command: str, of_another: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (of_another / "secret.key").write_bytes(bytes(32))
    before = sorted(of_another.iterdir())
    words = command.replace("FOLDER", str(of_another)).split()
    assert main([*words, "--data-dir", str(of_another)]) == 1
    assert capsys.readouterr().err.startswith(f"movelog: {of_another} belongs to the user ")
    assert sorted(of_another.iterdir()) == before


def test_another_user_is_refused_only_without_access(
    of_another: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    check_owner(of_another)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OwnedByAnother):
        check_owner(of_another)


def test_a_user_without_a_name_is_one_that_sudo_understands(
    of_another: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    owner = of_another.joinpath("lock").stat().st_uid
    with pytest.raises(OwnedByAnother) as refused:
        check_owner(of_another)
    _, _, command = str(refused.value).partition("(")
    assert shlex.split(command.partition(")")[0], comments=True) == ["sudo", "-u", f"#{owner}"]


def test_what_is_written_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("old, and open to all")
    file.chmod(0o644)
    write_private(file, b"new")
    assert (file.read_bytes(), mode(file)) == (b"new", 0o600)
    assert list(tmp_path.iterdir()) == [file]


def test_notes_of_a_running_service_lie_apart(tmp_path: Path) -> None:
    assert address_file(tmp_path) == tmp_path / "run" / "redis.url"
    assert mode(tmp_path / "run") == 0o700
