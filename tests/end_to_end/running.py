"""A whole service in its own processes: `movelog serve` on a data directory, and a client."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests

from tests.service_tags import without_service_tags
from tests.waiting import PATIENCE, eventually

ROOT = Path(__file__).parents[2]
MOVELOG = (sys.executable, "-m", "service.cli")
RECORD = "application/x-chess-pgn"
GONE = (FileNotFoundError, ProcessLookupError)
"""Errors of reading about a process that has ended, even if its file in /proc is already open."""


def environment(**given: str) -> dict[str, str]:
    """The test's environment with the given settings in place of the service's."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MOVELOG_")}
    kept = {"MOVELOG_PURE": os.environ["MOVELOG_PURE"]} if "MOVELOG_PURE" in os.environ else {}
    return own | kept | given


def movelog(*arguments: str | Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Run a command to completion."""
    return subprocess.run(
        [*MOVELOG, *map(str, arguments)],
        env=environment(**given),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 2,
    )


def is_alive(pid: int) -> bool:
    """Whether a process is running; a zombie is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except GONE:
        return False
    return state != "Z"


def descendants(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [task / "children" for task in tasks]
        for child in [int(c) for file in children for c in file.read_text().split()]:
            yield from descendants(child)
    except GONE:
        return


def kill(pid: int) -> None:
    """Kill a process as a power cut would; it may already have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Running:
    """A started service, with its admin's token."""

    def __init__(self, data_dir: Path, **given: str) -> None:
        self.data_dir = data_dir
        self.given = given
        self.errors = data_dir.with_suffix(".errors").open("a+")
        self.session = requests.Session()
        self._serve()

    def _serve(self) -> None:
        self.process = subprocess.Popen(
            [*MOVELOG, "serve", "--port", "0", "--data-dir", str(self.data_dir)],
            env=environment(MOVELOG_RATE_LIMIT="", **self.given),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert first.startswith("Movelog is at "), self.log()
        self.url = first.split()[3].rstrip(";")
        self.token = (self.data_dir / "admin.token").read_text().strip()
        self.session.headers["Authorization"] = f"Bearer {self.token}"

    def log(self) -> str:
        """Everything written to standard error so far."""
        self.errors.flush()
        return Path(self.errors.name).read_text()

    def start_again(self) -> None:
        """Start the service again after it has ended."""
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._serve()

    def restart(self) -> None:
        """Stop the service and start it again."""
        self.stop()
        self.start_again()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Stop the service if it runs, and release everything."""
        self.session.close()
        if self.process.poll() is None:
            self.stop()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()

    def pid(self, name: str) -> int:
        """Wait for a part, such as `web` or `scorer`, to run, and return its process id."""
        file = self.data_dir / "run" / f"{name}.pid"

        def noted() -> int:
            # The file may vanish at any moment, be empty at first, or name an ended process.
            try:
                pid = int(file.read_text() or 0)
            except FileNotFoundError:
                return 0
            return pid if is_alive(pid) else 0

        return eventually(noted, f"{name} runs")

    def processes(self) -> list[int]:
        """The ids of all the service's processes."""
        return list(descendants(self.process.pid))

    def kill(self, name: str) -> None:
        """Kill one part as a power cut would, with all its processes."""
        for pid in list(descendants(self.pid(name))):
            kill(pid)

    def get(self, path: str, **parameters: str | int) -> Any:
        """The JSON at a path."""
        answer = self.session.get(f"{self.url}/api/v1{path}", params=parameters)
        assert answer.ok, answer.text
        return answer.json()

    def record(self, id: str) -> str:
        """A game as a record, without the tags that the service adds."""
        accept = {"Accept": RECORD}
        answer = self.session.get(f"{self.url}/api/v1/games/{id}", headers=accept)
        assert answer.ok, answer.text
        return without_service_tags(answer.content.decode())

    def post(self, path: str, body: Mapping[str, Any], key: str | None = None) -> requests.Response:
        """Post JSON to a path and return the response."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.session.post(f"{self.url}/api/v1{path}", json=body, headers=headers)

    def games(self) -> list[dict[str, Any]]:
        """All games in the list, newest first."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str | int] = {}
        while True:
            page = self.get("/games", limit=100, **cursor)
            found += page["items"]
            if page["next_cursor"] is None:
                return found
            cursor = {"cursor": page["next_cursor"]}

    def everything(self) -> dict[str, Any]:
        """Everything that can be exported: list, records, events, games."""
        games = self.games()
        return {
            "list": games,
            "records": [self.record(game["id"]) for game in games],
            "events": [self.get(f"/games/{g['id']}/events", limit=1000) for g in games],
            "games": [self.get(f"/games/{game['id']}") for game in games],
        }
