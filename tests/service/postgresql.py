"""A PostgreSQL server that tests start themselves, if its programs are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.stopping import stopped

DEBIAN = Path("/usr/lib/postgresql")
CONFIGURATION = """
listen_addresses = ''
fsync = off
full_page_writes = off
max_connections = 60
log_min_messages = fatal
"""


def find_programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    # Debian has a folder for the programs of each version; the newest comes last.
    folders = sorted(DEBIAN.glob("*/bin"), key=lambda folder: int(folder.parent.name))
    return folders[-1] if folders else None


class PostgresqlServer:
    """A server that listens only on a socket in a temporary folder."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        # The path of a socket must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        # The server refuses to run as root.
        self._as: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
            self._as = ["setpriv", "--reuid=nobody", "--regid=65534", "--clear-groups"]
        self.data = self.folder / "data"
        self._run("initdb", "-D", str(self.data), "-A", "trust", "-U", "movelog", "--no-sync")
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(f"{CONFIGURATION}unix_socket_directories = '{self.folder}'\n")

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        log = self.folder / "log"
        self._run("pg_ctl", "-D", str(self.data), "-w", "-l", str(log), "start")

    def stop(self) -> None:
        """Stop the server, which cuts off all connections."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "-m", "fast", "stop")

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Pause all of its processes: connections are accepted, but nothing is answered."""
        with stopped(self._processes()):
            yield

    def _processes(self) -> list[int]:
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text()
        return [first, *map(int, children.split())]

    def remove(self) -> None:
        """Delete its folder."""
        shutil.rmtree(self.folder)

    def url(self) -> str:
        """The URL of its database."""
        return f"postgresql://movelog@/postgres?host={self.folder}"

    def connect(self) -> psycopg.Connection[Any]:
        """A connection in autocommit mode."""
        return psycopg.connect(self.url(), autocommit=True)

    def empty(self) -> str:
        """Drop the service's schemas in its database, and return the URL."""
        with self.connect() as connection:
            found = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname ~ '^movelog'"
            )
            for (name,) in found.fetchall():
                connection.execute(f"DROP SCHEMA {name} CASCADE".encode())
        return self.url()

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [*self._as, str(self.programs / program), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 0, f"{program} failed: see {self.folder}"


@contextmanager
def running_postgresql(programs: Path) -> Iterator[PostgresqlServer]:
    """A running server, which is stopped and removed at the end."""
    server = PostgresqlServer(programs)
    try:
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        server.remove()
