"""`movelog annotate` against a running service."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from service.cli import main
from service.player.repository import NewPlayer
from tests.service.api.live import post
from tests.service.web_server import WebServer
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

NUMBERS = count(1)


class Shell:
    """`movelog annotate`, as two players of a running service and a friend call it."""

    def __init__(self, server: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
        self.server = server
        self.capsys = capsys
        number = next(NUMBERS)
        self.ada, self.bo, self.eve = (
            server.service.players.register(f"{name} Writes {number}", None, scopes=("play",))
            for name in ("Ada", "Bo", "Eve")
        )
        wish = {"variant": "katruji", "side": "first", "opponent": self.bo.id}
        self.game = post(server, "/games", wish, self.ada).json()["id"]
        for by, where, body in (
            (self.bo, "commands", {"type": "accept"}),
            (self.ada, "actions", {"action": "Sd1"}),
            (self.bo, "actions", {"action": "Sa8"}),
            (self.bo, "commands", {"type": "resign"}),
        ):
            post(server, f"/games/{self.game}/{where}", body, by)

    def run(self, name: str, *arguments: str, by: NewPlayer | None = None, status: int = 0) -> str:
        """Run a command; return what it prints."""
        token = ["--token", (by or self.ada).token.secret, "--url", self.server.url]
        assert main(["annotate", name, self.game, *arguments, *token]) == status
        written = self.capsys.readouterr()
        return written.err if status else written.out


@pytest.fixture
def shell(
    server: WebServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    return Shell(server, capsys)


def test_an_annotation_is_written_part_by_part_listed_and_removed(shell: Shell) -> None:
    note = ("--comment", "too slow", "--comment", "indeed", "--nag", "?!", "--nag", "$14")
    assert shell.run("write", "1", *note) == f"{shell.game} version 6\n"
    shell.run("write", "1", "--variation", "Pd2! {so} (Pc4) Sa8", "--before", "now", by=shell.bo)
    shell.run("write", "2", "--comment", "yes")
    assert shell.run("list").splitlines() == [
        "1 {now} 1. Sd1?! $14 {too slow} {indeed}",
        "    (1. Pd2 $1 {so} (1. Pc4) 1... Sa8)",
        "2 1... Sa8 {yes}",
    ]
    told = json.loads(shell.run("list", "--json"))
    assert [one["ply"] for one in told["actions"]] == [1, 2]
    shell.run("remove", "1")
    assert shell.run("list") == "2 1... Sa8 {yes}\n"
    assert json.loads(shell.run("remove", "2", "--json"))["version"] == 10
    assert shell.run("list") == ""


def test_a_friend_is_admitted_by_name_and_withdrawn_by_id(shell: Shell) -> None:
    service = shell.server.service
    assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)
    assert "not-a-seat" in shell.run("write", "1", "--nag", "1", by=shell.eve, status=1)
    shell.run("admit", shell.eve.name)
    assert shell.run("list").startswith(f"annotators: {shell.eve.name}")
    shell.run("write", "1", "--nag", "1", by=shell.eve)
    shell.run("withdraw", shell.eve.id)
    assert shell.run("list") == "1 1. Sd1!\n"
    assert "not-admitted" in shell.run("withdraw", shell.eve.id, status=1)
    assert "no registered player" in shell.run("admit", "Nobody At All", status=1)


def test_what_is_wrong_is_told(shell: Shell) -> None:
    wrong = shell.run("write", "1", "--variation", "Pd2 Pd9", status=1)
    assert "illegal-variation" in wrong
    assert "nearest" in wrong
    assert "nothing to write" in shell.run("write", "1", status=2)
    assert "one of ! ?" in shell.run("write", "1", "--nag", "good", status=2)
    assert "the game has 2 actions" in shell.run("write", "3", "--nag", "!", status=1)
    assert shell.server.service.games.load(shell.game).version == 5
