"""Two machines with the same processes behind nginx: one is killed, and the other carries on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import pytest
import requests

from benchmarks.submitting import long_game
from service.cli.commands import main
from service.projection.leases.share import BEAT, LIVES, LOOK
from tests.end_to_end.running import MOVELOG, ROOT
from tests.ports import find_port
from tests.service.operations.nginx import Nginx, configure, find_nginx
from tests.service.operations.test_two_machines import Machine
from tests.service.operations.watcher import Watcher
from tests.service.postgresql import PostgresqlServer
from tests.service.redis_server import RedisServer
from tests.service.s3_server import BUCKET, S3Server
from tests.waiting import PATIENCE, eventually

SOON: Final = 10
"""Seconds within which another machine takes over the work of a killed one."""
WATCHERS: Final = 4
"""How many programs follow a game, on both machines."""


EITHER: Final = pytest.mark.parametrize(
    "killed",
    [pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.soak)],
    ids=["first", "second"],
)


class KilledMachine(Machine):
    """A machine whose processes can all be killed at once."""

    def __init__(self, folder: Path, keys: Path, shared: Mapping[str, str]) -> None:
        super().__init__(folder, keys, shared)
        self.streams_port = find_port()

    def start(self) -> None:
        """Start one of each process that a game needs."""
        commands = [
            ("web", "--port", str(self.port)),
            ("streams", "--port", str(self.streams_port)),
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

    def streams_answer(self) -> bool:
        """Whether the machine's process for event streams is ready."""
        assert self.processes[1].poll() is None, self.log()
        with suppress(requests.RequestException):
            url = f"http://127.0.0.1:{self.streams_port}/readyz"
            return requests.get(url, timeout=5).status_code == 200
        return False

    def kill(self) -> None:
        """Kill all processes, as a power cut would."""
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
        "MOVELOG_STREAMS_APART": "yes",
        "MOVELOG_TRUSTED_PROXIES": "127.0.0.1",
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
            eventually(machine.streams_answer, "the streams process is ready")
        yield made


@pytest.fixture
def api(machines: list[KilledMachine], tmp_path: Path) -> Iterator[str]:
    """The address of the API; nginx passes requests to either machine."""
    find_nginx()
    port = find_port()
    web, streams = ([getattr(one, name) for one in machines] for name in ("port", "streams_port"))
    nginx = Nginx(tmp_path, configure(port, web, streams), port)
    yield f"http://127.0.0.1:{port}/api/v1"
    nginx.close()


class Scribe:
    """Records games through nginx."""

    def __init__(self, api: str, machines: list[KilledMachine]) -> None:
        self.api = api
        self.machines = machines
        self.bearer: dict[str, str] = {}
        token = self.ask("POST", "/players", json={"name": "Scribe"})["token"]["secret"]
        self.bearer["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """Send a request that must succeed; returns the JSON of the answer.

        What a machine did not answer before it was killed is sent again: nginx passes a POST on to
        another machine only if it reached none.
        """
        headers = self.bearer | ({"Idempotency-Key": token_hex(8)} if self.bearer else {})
        for _ in range(2):
            answer = requests.request(
                method, self.api + path, headers=headers, timeout=PATIENCE, **given
            )
            if answer.status_code != HTTPStatus.BAD_GATEWAY:
                break
        assert answer.ok, answer.text + "".join(one.log() for one in self.machines)
        return answer.json()

    def begin(self) -> str:
        """Begin a game; returns its id."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        game: str = self.ask("POST", "/games", json=wish)["id"]
        return game

    def resign(self) -> str:
        """Record a game that is resigned at once."""
        game = self.begin()
        self.ask("POST", f"/games/{game}/commands", json={"type": "resign", "side": "first"})
        return game

    def act(self, game: str, actions: Iterable[str]) -> None:
        """Record actions of a game."""
        for action in actions:
            self.ask("POST", f"/games/{game}/actions", json={"action": action})

    def are_listed(self, games: set[str]) -> bool:
        """Whether all of these games are listed as finished and scored."""
        found = self.ask("GET", "/games?status=finished&limit=100")["items"]
        return games <= {one["id"] for one in found if one["scored"]}


@EITHER
def test_a_killed_machine_holds_nothing_up(
    machines: list[KilledMachine], api: str, killed: int
) -> None:
    # By then, the leases of a machine whose processes cannot be checked have expired.
    assert LIVES + BEAT + LOOK < SOON
    scribe = Scribe(api, machines)
    games = {scribe.resign() for _ in range(3)}
    eventually(lambda: scribe.are_listed(games), "both machines list and score")
    machines[killed].kill()
    # Games of almost every partition, and so of some that the killed machine had.
    games |= {scribe.resign() for _ in range(40)}
    eventually(lambda: scribe.are_listed(games), "the other machine lists and scores")
    assert machines[1 - killed].processes[0].poll() is None


@EITHER
@pytest.mark.parametrize("path", ["/games/{}/stream", "/stream?games={}&after=start"])
def test_whoever_watches_on_a_killed_machine_misses_nothing(
    machines: list[KilledMachine], api: str, killed: int, path: str
) -> None:
    scribe = Scribe(api, machines)
    game, actions = scribe.begin(), long_game(60, seed=killed)
    with ExitStack() as stack:
        watchers = [stack.enter_context(Watcher(api + path.format(game))) for _ in range(WATCHERS)]
        scribe.act(game, actions[:20])
        for watcher in watchers:
            eventually(partial(watcher.has_seen, 21), "all have seen the first of it")
        assert [watcher.ended for watcher in watchers] == [[]] * WATCHERS
        machines[killed].kill()
        scribe.act(game, actions[20:40])
        # By now, watchers of the killed machine follow the other one.
        scribe.act(game, actions[40:])
        for watcher in watchers:
            eventually(partial(watcher.has_seen, 61), "all have seen all of it")
            told = [json.loads(data) for data in watcher.seen]
            assert [event["version"] for event in told] == list(range(1, 62))
            assert [event["data"]["action"] for event in told[1:]] == actions
        broken = [watcher for watcher in watchers if watcher.ended]
        assert 0 < len(broken) < WATCHERS
