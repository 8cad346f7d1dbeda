"""The data directory: private, one process at a time."""

from __future__ import annotations

import errno
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
from service.operations.errors import AlreadyServed, OwnedByAnother, UnusableDataDir
from tests.service.redis_server import RedisServer
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


def refuse_with(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to open files, as root is refused them only by its file systems."""

    def refuse(path: str | Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("service.operations.data_dir.os.open", refuse)
    monkeypatch.setattr("service.secrets.keyfile.os.open", refuse)
    monkeypatch.setattr(os, "access", lambda *_: False)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EROFS, "Read-only file system; mount its file system for writing"),
        (errno.EACCES, "Permission denied; give the user "),
        (errno.EPERM, "Operation not permitted; give the user "),
    ],
)
@pytest.mark.parametrize("command", ["serve --port 0", "token", "repair"])
def test_a_directory_that_cannot_be_written_is_named_with_what_to_do(
    command: str,
    number: int,
    remedy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "secret.key").write_bytes(bytes(32))
    refuse_with(number, monkeypatch)
    assert main([*command.split(), "--data-dir", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"movelog: {tmp_path} cannot be written: {remedy}")
    assert said.endswith("or name another data directory with --data-dir or MOVELOG_DATA_DIR\n")


def test_another_users_directory_that_may_not_be_searched_is_said_to_be_theirs(
    of_another: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(file: Path, **_: object) -> None:
        if file.parent == of_another:
            raise PermissionError(errno.EACCES, "", str(file))

    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(Path, "exists", refuse)
    assert main(["token", "--data-dir", str(of_another)]) == 1
    assert capsys.readouterr().err.startswith(f"movelog: {of_another} belongs to the user ")


@pytest.mark.parametrize("command", ["web", "streams", "worker", "worker --only scoring", "token"])
def test_the_same_is_said_with_a_redis_of_ones_own(
    command: str,
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path))
    refuse_with(errno.EROFS, monkeypatch)
    assert main(command.split()) == 1
    assert capsys.readouterr().err.startswith(f"movelog: {tmp_path} cannot be written: Read-only")


def test_a_parent_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "", str(tmp_path / "new"))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(UnusableDataDir) as refused, lock_data_dir(tmp_path / "new" / "data"):
        pass
    assert refused.value.path == tmp_path / "new"


@pytest.mark.parametrize("name", ["file", "file/data"])
def test_a_file_is_no_data_directory(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnusableDataDir) as refused, lock_data_dir(tmp_path / name):
        pass
    assert str(refused.value) == (
        f"{tmp_path / name} cannot be used as the data directory: Not a directory;"
        " name another data directory with --data-dir or MOVELOG_DATA_DIR"
    )


def test_refusals_elsewhere_are_not_the_data_directorys(tmp_path: Path) -> None:
    other = PermissionError(errno.EACCES, "", str(tmp_path / "backup"))
    with pytest.raises(PermissionError) as refused, lock_data_dir(tmp_path / "data"):
        raise other
    assert refused.value is other


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
