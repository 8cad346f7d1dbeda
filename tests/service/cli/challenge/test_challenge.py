"""`movelog challenge` against a running service."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from service.cli import main
from service.cli.challenge.command import read_events
from service.cli.client import Client
from service.computer.registration import register_computers
from service.player.repository import NewPlayer
from tests.service.web_server import WebServer
from tests.waiting import PATIENCE, eventually, join

pytestmark = pytest.mark.slow

NUMBERS = count(1)


class Shell:
    """`movelog challenge`, as two players of a running service call it."""

    def __init__(self, server: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
        self.server = server
        self.capsys = capsys
        # All tests of the module share the service, so each needs names of its own.
        self.number = next(NUMBERS)
        self.ada = self.register(f"Ada Lovelace {self.number}")
        self.bo = self.register(f"Bo {self.number}")

    def register(self, name: str) -> NewPlayer:
        return self.server.service.players.register(name, None, scopes=("play",))

    def wait_for_lists(self) -> None:
        """Wait until the server's own projector has listed everything."""
        service = self.server.service
        assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)

    def run(self, *arguments: str, by: NewPlayer | None = None, status: int = 0) -> str:
        """Run a command; return what it prints."""
        token = ["--token", (by or self.ada).token.secret]
        assert main(["challenge", *arguments, "--url", self.server.url, *token]) == status
        written = self.capsys.readouterr()
        return written.err if status else written.out

    def json(self, *arguments: str, by: NewPlayer | None = None) -> Any:
        return json.loads(self.run(*arguments, "--json", by=by))


@pytest.fixture
def shell(
    server: WebServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    return Shell(server, capsys)


def test_a_challenge_from_the_command_line(shell: Shell) -> None:
    made = shell.run(
        *("make", "katruji", "--side", "first", "--time-control", "180+2"),
        *("--casual", "--ply-limit", "80"),
    )
    id = made.split()[0]
    seats = f"{shell.ada.name} - anyone"
    line = f"{id} katruji {seats} offered: 180+2 (blitz), casual, at most 80 actions"
    assert made == line + "\n"
    shell.wait_for_lists()
    eventually(lambda: shell.run("list") == made, "the challenge is listed")
    assert shell.run("list", "--speed", "blitz", "--casual") == made
    assert shell.run("list", "--rated") == ""
    assert shell.run("list", "--own") == made
    assert shell.run("list", "--own", by=shell.bo) == ""
    assert shell.json("list")["id"] == id
    assert shell.run("accept", id, by=shell.bo) == f"{id} running\n"
    assert "cannot-rematch" in shell.run("rematch", id, status=1)
    assert shell.run("abort", id) == f"{id} finished\n"
    again = shell.json("rematch", id)
    players = [again["players"][side]["name"] for side in ("first", "second")]
    assert (players, again["status"]) == ([shell.bo.name, shell.ada.name], "offered")
    assert shell.json("rematch", id, by=shell.bo)["status"] == "running"


def test_a_player_is_challenged_by_name_in_private(shell: Shell) -> None:
    shell.wait_for_lists()
    made = shell.run(
        *("make", "kerd", "--opponent", shell.ada.name.lower(), "--private", "--side", "second"),
        *("--expires-in-seconds", "3600"),
        by=shell.bo,
    )
    seats = f"{shell.ada.name} - {shell.bo.name}"
    assert f"{seats} offered: untimed, rated, infiltrators sealed, private" in made
    id = made.split()[0]
    shell.wait_for_lists()
    eventually(lambda: shell.run("list", "--own").split()[:1] == [id], "it is listed for her")
    assert shell.run("list") == ""
    assert shell.run("decline", id) == f"{id} declined\n"
    by_id = shell.run("make", "katruji", "--opponent", shell.bo.id, "--side", "first")
    assert seats in by_id
    assert shell.run("withdraw", by_id.split()[0]).endswith(" withdrawn\n")
    assert "bad-value" in shell.run("make", "katruji", "--opponent", "Nobody", status=1)


def test_the_lobby_is_followed(shell: Shell) -> None:
    told: list[str] = []

    def follow() -> None:
        for event, data in read_events(Client(shell.server.url), "/challenges/stream"):
            told.append(event + " " + str(data.get("id") or data.get("game") or ""))
            if event == "gone":
                return

    reader = Thread(target=follow)
    reader.start()
    eventually(lambda: told == ["caught_up "], "the stream has caught up")
    id = shell.run("make", "katruji").split()[0]
    eventually(lambda: told[1:] == [f"challenge {id}"], "the challenge is told")
    shell.run("withdraw", id)
    join(reader)
    assert told[2:] == [f"gone {id}"]


def test_own_challenges_take_no_filter(shell: Shell) -> None:
    assert "--own takes no filters" in shell.run("list", "--own", "--follow", status=2)


def test_the_computer_is_challenged_at_a_level(shell: Shell) -> None:
    register_computers(shell.server.service.players)
    made = shell.run("make", "kerak", "--computer", "3", "--side", "second")
    assert f"computer-3 - {shell.ada.name} offered: untimed, casual" in made
    refused = shell.run("make", "kerak", "--computer", "3", "--rated", status=1)
    assert "the computer plays casual games only" in refused
    table = shell.run("computers").splitlines()
    assert table[0].split() == ["level", "name", "nodes", "seconds", "error"]
    assert table[8].split()[:2] == ["8", "computer-8"]
    assert shell.json("computers")["items"][0]["name"] == "computer-1"
    shell.run("make", "kerak", "--computer", "3", "--opponent", "Bo", status=2)
