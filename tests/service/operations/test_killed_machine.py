"""Two machines with the same processes behind nginx: one is killed, and the other goes on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import requests

from service.cli.commands import main
from service.projection.leases.share import BEAT, LIVES, LOOK
from tests.end_to_end.running import MOVELOG, ROOT
from tests.service.operations.nginx import Nginx, find_nginx
from tests.service.operations.parts import find_free_port
from tests.service.operations.test_two_machines import Machine
from tests.service.postgresql import PostgresqlServer
from tests.service.redis_server import RedisServer
from tests.service.s3_server import BUCKET, S3Server
from tests.waiting import PATIENCE, eventually

pytestmark = pytest.mark.slow

SOON: Final = 10
"""Seconds after which the work of a killed machine is another one's."""
HTTP: Final = """\
    upstream web {{ {servers} }}
    server {{
        listen {port};
        location / {{ proxy_pass http://web; proxy_next_upstream error timeout non_idempotent; }}
    }}
"""


class KilledMachine(Machine):
    """A machine whose processes are all killed at once."""

    def start(self) -> None:
        """Start one of every process that a game needs."""
        commands = [
            ("web", "--port", str(self.port)),
            ("projector",),
            ("worker", "--only", "scoring"),
        ]
        self.processes = []
        for command in commands:
            with (self.folder / f"{command[0]}.log").open("ab") as log:
                self.processes.append(
                    subprocess.Popen(
                        [*MOVELOG, *command],
                        env=self.environment,
                        cwd=ROOT,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )

    def kill(self) -> None:
        """End all of them as a power cut would."""
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes:
            process.wait(PATIENCE)


@pytest.fixture
def machines(
    tmp_path: Path, durable: RedisServer, postgresql: PostgresqlServer, s3: S3Server
) -> Iterator[list[KilledMachine]]:
    shared = {
        "MOVELOG_REDIS_URL": durable.url,
        "MOVELOG_DATABASE_URL": postgresql.empty(),
        "MOVELOG_OBJECTS_URL": f"s3://{BUCKET}/killed-machine",
        "MOVELOG_WEB_WORKERS": "1",
        **s3.environment,
    }
    assert main(["key", "make", str(tmp_path / "keys")]) == 0
    with ExitStack() as stack:
        made = [KilledMachine(tmp_path / name, tmp_path / "keys", shared) for name in "ab"]
        for machine in made:
            machine.start()
            stack.callback(machine.kill)
            eventually(partial(machine.answers_or_ended, machine.processes[0]))
            assert machine.processes[0].poll() is None, machine.log()
        yield made


@pytest.mark.parametrize("killed", [0, 1], ids=["first", "second"])
def test_a_killed_machine_holds_nothing_up(
    machines: list[KilledMachine], tmp_path: Path, killed: int
) -> None:
    find_nginx()
    # The leases of a machine that cannot be looked at are over by then.
    assert LIVES + BEAT + LOOK < SOON
    port = find_free_port()
    servers = " ".join(f"server 127.0.0.1:{one.port} max_fails=0;" for one in machines)
    nginx = Nginx(tmp_path, HTTP.format(servers=servers, port=port), port)
    api = f"http://127.0.0.1:{port}/api/v1"
    bearer: dict[str, str] = {}

    def ask(method: str, path: str, **given: Any) -> Any:
        answer = requests.request(method, api + path, headers=bearer, timeout=PATIENCE, **given)
        assert answer.ok, answer.text + "".join(one.log() for one in machines)
        return answer.json()

    def play() -> str:
        """Play a game that is resigned at once."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        game: str = ask("POST", "/games", json=wish)["id"]
        ask("POST", f"/games/{game}/commands", json={"type": "resign", "side": "first"})
        return game

    def is_listed(games: set[str]) -> bool:
        found = ask("GET", "/games?status=finished&limit=100")["items"]
        scored = {one["id"] for one in found if one["result"]}
        return games <= scored

    try:
        token = ask("POST", "/players", json={"name": "Scribe"})["token"]["secret"]
        bearer["Authorization"] = f"Bearer {token}"
        games = {play() for _ in range(3)}
        eventually(lambda: is_listed(games), "both machines list and score")
        machines[killed].kill()
        # Games of every partition but few: whichever were the killed one's are among them.
        games |= {play() for _ in range(40)}
        eventually(lambda: is_listed(games), "the other machine lists and scores")
        assert machines[1 - killed].processes[0].poll() is None
    finally:
        nginx.close()
