"""The embedded Redis or Valkey: the settings it runs with, and where it listens."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import redis

from service.operations.data_dir import address_file, make_private, write_note
from service.operations.log_upgrade import take_over
from service.operations.redis_watch import Attendant
from service.operations.server_program import ServerProgram, find_server_program
from service.operations.supervised_program import Program
from service.settings import Settings

LONGEST_SOCKET_PATH: Final = 100
"""The most bytes of a socket's path; the limits of systems are between 104 and 108."""


def say_on_stderr(line: str) -> None:
    """Tell the person who runs a command about the log's server."""
    print(f"movelog: {line}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class RedisServer:
    """An embedded Redis for a data directory, listening on a unix socket and no TCP port."""

    data_dir: Path
    socket: Path
    appendfsync: str
    say: Callable[[str], None] = say_on_stderr

    @property
    def url(self) -> str:
        """The URL at which clients reach the server."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def files(self) -> Path:
        """The folder of the server's append-only file and its log."""
        return self.data_dir / "redis"

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self.files / "redis.log"

    def prepare(self) -> tuple[ServerProgram, Attendant]:
        """Prepare existing files for the program; returns the program and its attendant.

        Raises NoRedisServer, WrittenByNewer.
        """
        make_private(self.files)
        program = find_server_program()
        take_over(self.files, program, self.say)
        return program, Attendant(self.files, self.log, self.url, program, self.say)

    def build_command(self, program: ServerProgram) -> tuple[str, ...]:
        """The command line, less what the attendant adds.

        Every write goes to the append-only file, with no snapshot beside it: one file is the truth.
        When memory runs out, the server refuses writes and never evicts.
        """
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.files),
            "logfile": str(self.log),
            "appendonly": "yes",
            "appendfsync": self.appendfsync,
            "save": "",
            "maxmemory-policy": "noeviction",
            "databases": "1",
        }
        arguments = (part for name, value in options.items() for part in (f"--{name}", value))
        return (str(program.path), *arguments)

    def note_address(self) -> bool:
        """Leave its address for other commands; False if the disk has no room for that."""
        return write_note(address_file(self.data_dir), f"{self.url}\n")

    def is_ready(self) -> bool:
        """Whether the server answers requests; it does not while it loads its data."""
        client = redis.Redis.from_url(self.url, socket_timeout=1)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def build_program(self, environment: Mapping[str, str], lock: int) -> Program:
        """Return the server as a supervised program that holds the data directory's lock.

        Raises NoRedisServer, WrittenByNewer.
        """
        program, attendant = self.prepare()

        def watch() -> None:
            self.note_address()
            attendant.watch()

        return Program(
            "redis",
            self.build_command(program),
            environment,
            ready=self.is_ready,
            inherited=(lock,),
            hint=f"see {self.log}",
            prepare=attendant.prepare,
            watch=watch,
            excused=attendant.is_excused,
        )


@contextmanager
def prepare_redis_server(
    settings: Settings, say: Callable[[str], None] = say_on_stderr
) -> Iterator[RedisServer]:
    """An embedded Redis that can be started, with its address left for other commands to find.

    The data directory must be locked. Its socket is there or, if that path is too long for a
    socket, in a private directory within the system's temporary one. `say` reports what becomes of
    the log and of the room for it.
    """
    with _make_socket_path(settings) as socket:
        server = RedisServer(settings.data_dir, socket, settings.appendfsync, say)
        if not server.note_address():
            say(
                f"the disk of {settings.data_dir} has no room at all: the service can only be read,"
                " and other commands do not find it until there is room; see docs/operations.md,"
                " When there is no room"
            )
        try:
            yield server
        finally:
            address_file(settings.data_dir).unlink(missing_ok=True)


@contextmanager
def _make_socket_path(settings: Settings) -> Iterator[Path]:
    if len(str(settings.socket).encode()) <= LONGEST_SOCKET_PATH:
        yield settings.socket
        return
    with tempfile.TemporaryDirectory(prefix="movelog-") as directory:
        yield Path(directory, "redis.sock")
