"""Two machines that share a Redis, a PostgreSQL and a bucket of S3, and nothing else.

Machine A runs a web server and the projector, machine B a web server and the worker of imports.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
import requests

from service.cli.commands import main
from service.pages.session import COOKIE
from tests.end_to_end.running import MOVELOG, ROOT, environment
from tests.ports import find_port
from tests.service.api.client import PGN
from tests.service.imports.support import GOOD, ILLEGAL
from tests.service.postgresql import PostgresqlServer
from tests.service.redis_server import RedisServer
from tests.service.s3_server import BUCKET, S3Server
from tests.waiting import PATIENCE, eventually

pytestmark = pytest.mark.slow

KEYS: Final = {
    "SECRET_KEY": "secret.key",
    "CHOICE_KEYS": "choice.key",
    "SIGNING_KEYS": "signing.key",
}
NDJSON: Final = "application/x-ndjson"


class Machine:
    """A machine with a folder of its own, which runs parts of the service."""

    def __init__(self, folder: Path, keys: Path, shared: Mapping[str, str]) -> None:
        self.folder = folder
        folder.mkdir()
        # Each machine has its own copy, as an orchestrator mounts them.
        shutil.copytree(keys, folder / "keys")
        given = {f"MOVELOG_{name}_FILE": str(folder / "keys" / file) for name, file in KEYS.items()}
        data = {"MOVELOG_DATA_DIR": str(folder / "data"), "MOVELOG_RATE_LIMIT": ""}
        self.environment = environment(**shared, **given, **data)
        self.port = find_port()
        self.url = f"http://127.0.0.1:{self.port}"

    @contextmanager
    def run(self, *command: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command as long as the context lasts."""
        with (self.folder / f"{command[0]}.log").open("ab") as log:
            process = subprocess.Popen(
                [*MOVELOG, *command], env=self.environment, cwd=ROOT, stdout=log, stderr=log
            )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)

    def log(self) -> str:
        """The output of its parts."""
        return "".join(file.read_text() for file in self.folder.glob("*.log"))

    def answers_or_ended(self, web: subprocess.Popen[bytes]) -> bool:
        """Whether its web server is ready or has ended."""
        if web.poll() is not None:
            return True
        try:
            return requests.get(f"{self.url}/healthz", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def ask(self, method: str, path: str, token: str | None = None, **given: Any) -> Any:
        """The JSON of an answer, which must be a success."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= given.pop("headers", {})
        answer = requests.request(
            method, f"{self.url}/api/v1{path}", headers=headers, timeout=PATIENCE, **given
        )
        assert answer.ok, f"{answer.text}\n{self.log()}"
        return answer.json()

    def command(self, game: str, token: str, command: str, **members: Any) -> Any:
        """Send a command to a game."""
        body = {"type": command, **members}
        return self.ask("POST", f"/games/{game}/commands", token, json=body)


@pytest.fixture
def shared(durable: RedisServer, postgresql: PostgresqlServer, s3: S3Server) -> dict[str, str]:
    """The stores that both machines use."""
    return {
        "MOVELOG_REDIS_URL": durable.url,
        "MOVELOG_DATABASE_URL": postgresql.empty(),
        "MOVELOG_OBJECTS_URL": f"s3://{BUCKET}/two-machines",
        **s3.environment,
    }


@pytest.fixture
def machines(tmp_path: Path, shared: dict[str, str]) -> Iterator[tuple[Machine, Machine]]:
    assert main(["key", "make", str(tmp_path / "keys")]) == 0
    a, b = (Machine(tmp_path / name, tmp_path / "keys", shared) for name in "ab")
    with ExitStack() as running:
        for machine, part in ((a, ["projector"]), (b, ["worker", "--only", "imports"])):
            web = running.enter_context(machine.run("web", "--port", str(machine.port)))
            running.enter_context(machine.run(*part))
            eventually(partial(machine.answers_or_ended, web))
            assert web.poll() is None, machine.log()
        yield a, b


def test_two_machines_that_share_no_folder_are_one_service(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    a, b = machines

    # A guest who signs in at A is signed in at B as well.
    browser = requests.Session()
    assert browser.post(f"{a.url}/guest", data={"called": "Gus"}, timeout=PATIENCE).ok
    guest = browser.cookies[COOKIE]
    assert "Gus" in browser.get(f"{b.url}/", timeout=PATIENCE).text
    made = b.ask("POST", "/players", json={"name": "Brahim"})
    other, token = made["id"], made["token"]["secret"]

    # In a game of Kerd, each machine shows a player the secret choice made at the other.
    wish = {"variant": "kerd", "side": "first", "opponent": other}
    game = a.ask("POST", "/games", guest, json=wish)["id"]
    b.command(game, token, "accept")
    a.command(game, guest, "choose", square="f11")
    b.command(game, token, "choose", square="d1")
    assert b.ask("GET", f"/games/{game}", guest)["fen"].split(" ")[5] == "f11/?"
    assert a.ask("GET", f"/games/{game}", token)["fen"].split(" ")[5] == "?/d1"
    a.ask("POST", f"/games/{game}/actions", guest, json={"action": "e4"})
    b.command(game, token, "resign")

    # What B has signed can be verified with the keys that A serves.
    keys, export = tmp_path / "keys.json", tmp_path / "export.ndjson"
    keys.write_bytes(requests.get(f"{a.url}/.well-known/movelog-keys", timeout=PATIENCE).content)
    log = requests.get(f"{b.url}/api/v1/games/{game}", headers={"Accept": NDJSON}, timeout=PATIENCE)
    export.write_bytes(log.content)
    assert main(["verify", str(export), "--key", str(keys)]) == 0

    # B imports what was uploaded to A; both have the outcome and the file.
    archive = (GOOD + "\n" + ILLEGAL + "\n").encode()
    begun = a.ask("POST", "/imports?wait=0", token, data=archive, headers={"Content-Type": PGN})[
        "id"
    ]
    eventually(lambda: a.ask("GET", f"/imports/{begun}", token)["state"] == "done", "B imports")
    for machine in machines:
        verdicts = machine.ask("GET", f"/imports/{begun}/verdicts", token)["items"]
        assert [verdict["status"] for verdict in verdicts] == ["accepted", "quarantined"]
        original = requests.get(
            f"{machine.url}/api/v1/imports/{begun}/original",
            headers={"Authorization": f"Bearer {token}"},
            timeout=PATIENCE,
        )
        assert sha256(original.content).digest() == sha256(archive).digest()

    # The lists that A's projector writes can be read at B.
    def listed() -> set[str]:
        return {found["id"] for found in b.ask("GET", "/games?limit=10")["items"]}

    eventually(lambda: {game, verdicts[0]["game"]} <= listed(), "A lists what B has")
    for machine in machines:
        assert not list(machine.folder.glob("data/**/*.key"))
        assert not list(machine.folder.glob("data/**/original"))


def test_no_key_is_used_before_every_process_has_it(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    a, b = machines
    operator = Machine(tmp_path / "operator", tmp_path / "keys", {})
    operator.environment |= {
        name: text for name, text in a.environment.items() if "KEY" not in name
    } | {"MOVELOG_DATA_DIR": str(operator.folder / "data")}
    with operator.run("key", "add", str(operator.folder / "keys" / "choice.key")) as add:
        assert add.wait(PATIENCE) == 0

    def refused() -> str:
        with operator.run("key", "rotate") as rotate:
            assert rotate.wait(PATIENCE) == 1, operator.log()
        return operator.log().splitlines()[-1]

    eventually(lambda: "4 of 4 running processes lack the key" in refused(), "all tell their keys")
    assert all(f"{name} on " in refused() for name in ("web", "projector", "importer"))
    # Nothing was changed: both continue with the key that they have.
    ids = [
        one.ask("POST", "/players", json={"name": name})["id"]
        for one, name in zip((a, b), ("Ada", "Bo"), strict=True)
    ]
    assert len(ids) == 2


def test_a_machine_with_other_keys_does_not_start(
    machines: tuple[Machine, Machine], shared: dict[str, str], tmp_path: Path
) -> None:
    assert main(["key", "make", str(tmp_path / "others")]) == 0
    stranger = Machine(tmp_path / "c", tmp_path / "others", shared)
    with stranger.run("web", "--port", str(stranger.port)) as web:
        assert web.wait(PATIENCE) == 1
    assert "is not the key of this store" in stranger.log()
    assert "MOVELOG_CHOICE_KEYS_FILE" in stranger.log()
