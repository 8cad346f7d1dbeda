"""The data directory: private, and served by one process at a time.

lock              held while the embedded Redis may be running; says by which process
secret.key        the service's key (`service.settings`)
choice.key        the keys of secret choices (`service.secrets.vault`)
signing.key       the key that signs exports (`service.records.signer`)
admin.token       the first admin's token
redis/            the embedded Redis's files and its log
redis.sock        where it listens, if the path is short enough
run/              process ids, the address, where Redis listens: valid while it runs
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from service.environment import SECRET_KEY
from service.operations.errors import AlreadyServed, OwnedByAnother, UnusableDataDir
from service.storage import durable_files as durable
from service.storage.capacity import describe_full_storage

LOCK = "lock"
LOOK: Final = 0.5
"""Seconds within which a process that only checks the lock has released it."""
REFUSALS: Final = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR)
"""The system's errors for a directory that is read-only, forbidden, or no directory."""
PAUSE: Final = 0.02
"""Seconds between two attempts to lock it."""


def make_private(directory: Path) -> Path:
    """The directory, created with mode 0700 if it does not exist yet."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory


def write_private(file: Path, data: bytes) -> None:
    """Write a file of mode 0600 atomically: readers see the old file or the new one."""
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    with durable.new_private_file(file, partial) as stream:
        stream.write(data)


def write_note(file: Path, text: str) -> bool:
    """Write a private file unless it already says this; False if the disk has no room for it.

    In that case what it said before is removed, since it is no longer true.
    """
    try:
        if file.exists() and file.read_text() == text:
            return True
        write_private(file, text.encode())
    except OSError as error:
        if describe_full_storage(error) is None:
            raise
        file.unlink(missing_ok=True)
        return False
    return True


@contextmanager
def lock_data_dir(data_dir: Path) -> Iterator[int]:
    """Hold the data directory; raises AlreadyServed, OwnedByAnother and UnusableDataDir.

    Yields the lock's file descriptor. A child that inherits it holds the directory too, so that no
    second Redis starts on the files of one that is still shutting down.
    """
    with explain_refusals(data_dir):
        check_owner(data_dir)
        path = make_private(data_dir) / LOCK
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _try_to_lock(handle):
                raise AlreadyServed(data_dir, path.read_text().strip())
            note_holder(handle)
            yield handle
        finally:
            os.close(handle)


@contextmanager
def explain_refusals(data_dir: Path) -> Iterator[None]:
    """Raise UnusableDataDir or OwnedByAnother for an error of the system that means that.

    Others are raised as they are, such as those about files elsewhere.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in REFUSALS or not isinstance(error.filename, str):
            raise
        path = Path(error.filename)
        if not (path.is_relative_to(data_dir) or data_dir.is_relative_to(path)):
            raise
        if error.errno == errno.EACCES:
            check_owner(data_dir)
        # What is wrong with a directory is wrong with every file in it.
        if path.is_relative_to(data_dir) and not os.access(data_dir, os.W_OK | os.X_OK):
            path = data_dir
        raise UnusableDataDir(path, error.errno, _name_user(os.geteuid())) from error


def check_owner(data_dir: Path) -> None:
    """Raise OwnedByAnother if another user's service keeps its data here.

    Root may read everything, but what it makes could not be read by that service: not the keys, and
    not the log. Another user is refused only where access is.
    """
    owner = _find_owner(data_dir)
    if owner is None or owner == os.geteuid():
        return
    if os.geteuid() == 0 or not os.access(data_dir, os.R_OK | os.W_OK | os.X_OK):
        raise OwnedByAnother(data_dir, _name_user(owner))


def _find_owner(data_dir: Path) -> int | None:
    """The user of a service's files in a folder, or of the folder if it may not be searched."""
    for file in (data_dir / LOCK, data_dir / SECRET_KEY):
        try:
            return file.stat().st_uid
        except FileNotFoundError:
            continue
        except PermissionError:
            return _find_folder_owner(data_dir)
    return None


def _find_folder_owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except PermissionError:
        return None


def _name_user(uid: int) -> str:
    """A user's name, or the number where there is none, as sudo reads it from a shell."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"'#{uid}'"


def _try_to_lock(handle: int) -> bool:
    """Lock the directory; False if it is held for longer than `is_locked` takes to check."""
    deadline = monotonic() + LOOK
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(PAUSE)
        else:
            return True


def is_locked(data_dir: Path) -> bool:
    """Whether some process holds the data directory, as a service does while it runs."""
    try:
        handle = os.open(data_dir / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def note_holder(handle: int) -> None:
    """Write this process's id into the lock; on a full disk the lock stays without one."""
    os.truncate(handle, 0)
    try:
        os.write(handle, f"{os.getpid()}\n".encode())
    except OSError as error:
        if describe_full_storage(error) is None:
            raise


def run_dir(data_dir: Path) -> Path:
    """Return the folder in which a running service leaves its addresses for other commands."""
    return make_private(data_dir / "run")


def address_file(data_dir: Path) -> Path:
    """The file that says where the embedded Redis listens; it exists while Redis runs."""
    return run_dir(data_dir) / "redis.url"
