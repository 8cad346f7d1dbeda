"""Finds the readable part of a damaged log, and cuts off the rest.

The server's program is also the checker, if it is started under the checker's name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.operations.data_dir import lock_data_dir
from service.operations.errors import CannotRepair, NothingToRepair
from service.operations.log_upgrade import LOG_FILE, LOG_FOLDER, MANIFEST
from service.operations.redis_server import RedisServer
from service.operations.server_program import find_server_program
from service.settings import Settings

LOG_CHECKER: Final = "redis-check-aof"
SNAPSHOT_CHECKER: Final = "redis-check-rdb"
"""The names under which every version of Redis and Valkey checks its files.

Each file is checked by itself: Valkey 9.1 considers its own snapshot damaged when it checks the
whole folder.
"""

SNAPSHOT: Final = ".rdb"

ANALYSED: Final = re.compile(r"AOF analyzed: .*?size=(?P<size>\d+), ok_up_to=(?P<good>\d+)")

YES: Final = "y\n"


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A file of the log, `size` bytes long, that can be read up to byte `good`."""

    file: Path
    size: int
    good: int

    @property
    def lost(self) -> int:
        """The number of bytes that cannot be read, or come after such bytes."""
        return self.size - self.good


def examine(settings: Settings) -> DamagedFile | None:
    """Find the damaged file of a log; None if all of it can be read.

    Raises AlreadyServed, NothingToRepair, and CannotRepair if the checker finds no end that could
    be cut off.
    """
    with _hold_log(settings) as files:
        return _examine(files)


def cut(settings: Settings) -> tuple[DamagedFile, Path] | None:
    """Cut off what cannot be read; returns that, and the folder with the log as it was.

    Raises what `examine` raises.
    """
    with _hold_log(settings) as files:
        finding = _examine(files)
        if finding is None:
            return None
        kept = files.with_name(f"{files.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        shutil.copytree(files, kept)
        _check(LOG_CHECKER, "--fix", str(finding.file), answer=YES)
        if _examine(files) is not None:
            raise CannotRepair(finding.file, "the server's checker could not repair it")
        return finding, kept


def _examine(files: Path) -> DamagedFile | None:
    damaged = [
        finding for file in _list_parts(files) if (finding := _examine_file(file)) is not None
    ]
    if not damaged:
        return None
    if damaged[0].file != _list_parts(files)[-1]:
        raise CannotRepair(damaged[0].file, "later files continue the log")
    return damaged[0]


def _examine_file(file: Path) -> DamagedFile | None:
    """Find the damage in one file of a log; None without any."""
    checker = SNAPSHOT_CHECKER if file.suffix == SNAPSHOT else LOG_CHECKER
    said, status = _check(checker, str(file))
    if status == 0:
        return None
    found = ANALYSED.search(said)
    if found is None:
        raise CannotRepair(file, "it is a damaged snapshot, or begins with one")
    return DamagedFile(file, int(found["size"]), int(found["good"]))


def _check(checker: str, *arguments: str, answer: str = "") -> tuple[str, int]:
    """Run a checker; returns its output and exit status."""
    done = subprocess.run(
        [checker, *arguments],
        executable=find_server_program().path,
        input=answer,
        capture_output=True,
        text=True,
        errors="replace",
    )
    return done.stdout + done.stderr, done.returncode


def _list_parts(files: Path) -> list[Path]:
    """The files of a log in their order, which is that of the manifest if there is one."""
    folder = files / LOG_FOLDER
    if not (folder / MANIFEST).exists():
        return [files / LOG_FILE]
    lines = [line.split() for line in (folder / MANIFEST).read_text().splitlines()]
    # Each line is: file NAME seq NUMBER type b|i|h; those of type h are history.
    return [folder / words[1] for words in lines if words and words[-1] != "h"]


@contextmanager
def _hold_log(settings: Settings) -> Iterator[Path]:
    """The log's folder of a service that is not running; holds the service's lock.

    Raises AlreadyServed and NothingToRepair.
    """
    files = RedisServer(settings.data_dir, settings.socket, settings.appendfsync).files
    if not settings.embedded_redis:
        raise NothingToRepair(files, elsewhere=True)
    with lock_data_dir(settings.data_dir):
        if not any(part.exists() for part in _list_parts(files)):
            raise NothingToRepair(files, elsewhere=False)
        yield files
