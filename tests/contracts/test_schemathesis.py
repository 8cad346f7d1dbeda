"""Schemathesis checks the running service against the contract."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from service.player.repository import NewPlayer
from service.player.scopes import ADMIN, ARBITER, PLAY
from tests.contracts.document import FILE, operations
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

HOOKS = Path(__file__).with_name("hooks.py")
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
    "problem_conformance",
)
FEN = "c4/6/7/8/4h4/4V3/3I3/6/I3C r - 0-0 40"
"""A position of Kerak with combat: e4 attacks e5, as in the contract's example."""


@pytest.fixture
def server(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    with WebServer(redis_server.url, tmp_path) as running:
        yield running


@pytest.fixture
def settings(server: WebServer, tmp_path: Path) -> Path:
    """Settings with schemathesis's token and the ids that its requests use."""
    players = server.service.players
    official = players.register("Ann", None, scopes=(PLAY, ARBITER, ADMIN))
    subject = players.register("Eve", None)
    file = tmp_path / "schemathesis.toml"
    file.write_text(
        f"""
hooks = "{HOOKS}"
[auth.openapi]
bearer = {{ bearer = "{official.token.secret}" }}
[[operations]]
include-path-regex = "^/api/v1/games/"
parameters = {{ "path.id" = "{scribed_game(server, official, subject)}" }}
[[operations]]
include-path-regex = "^/api/v1/tournaments/"
parameters = {{ "path.id" = "{tournament(server, official)}", "path.player" = "{official.id}" }}
[[operations]]
include-path-regex = "^/api/v1/players/"
parameters = {{ "path.id" = "{subject.id}", "path.token" = "{subject.token.token.id}" }}
"""
    )
    return file


def scribed_game(server: WebServer, scribe: NewPlayer, opponent: NewPlayer) -> str:
    answer = requests.post(
        f"{server.url}/api/v1/games",
        json={
            "variant": "kerak",
            "mode": "scribe",
            "fen": FEN,
            "players": {"first": {"id": scribe.id}, "second": {"id": opponent.id}},
        },
        headers={"Authorization": f"Bearer {scribe.token.secret}"},
        timeout=90,
    )
    return str(answer.json()["id"])


def tournament(server: WebServer, arbiter: NewPlayer) -> str:
    """Create a tournament with one player and no round, and return its id."""
    headers = {"Authorization": f"Bearer {arbiter.token.secret}"}
    wish = {"name": "Open", "variant": "katruji", "kind": "swiss", "rounds": 3}
    path = f"{server.url}/api/v1/tournaments"
    made = requests.post(path, json=wish, headers=headers, timeout=90).json()
    entering = {"type": "enter", "player": arbiter.id}
    command = f"{path}/{made['id']}/commands"
    assert requests.post(command, json=entering, headers=headers, timeout=90).ok
    return str(made["id"])


@pytest.mark.parametrize(
    "examples", [pytest.param(4, marks=pytest.mark.slow), pytest.param(25, marks=pytest.mark.soak)]
)
def test_the_service_does_what_the_contract_says(
    server: WebServer, settings: Path, examples: int
) -> None:
    schemathesis = Path(sys.executable).with_name("schemathesis")
    command: list[str | Path] = [schemathesis, "--config-file", settings]
    command += ["run", FILE, "--url", server.url, "--checks", ",".join(CHECKS)]
    # Most of what is generated for an upload is filtered out, and a busy machine is slow:
    # neither is a reason to stop.
    command += ["--suppress-health-check", "filter_too_much,too_slow", "--request-timeout", "90"]
    command += ["--max-examples", str(examples), "--seed", "1", "--generation-database", "none"]
    run = subprocess.run(
        [*command, "--continue-on-failure", "--no-color"],
        cwd=settings.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr + server.log()
    assert f"Tested: {len(operations())}" in run.stdout
    assert server.service.store.ping()
