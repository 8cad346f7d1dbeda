"""`movelog events` against a running service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.cli import main
from service.cli.client import Client, ConnectionLost
from service.cli.queries import events
from service.game.repository import stream_of
from service.ids import new_id
from service.log.chain import public_part
from tests.service.game_feed.support import Archive
from tests.service.web_server import WebServer

pytestmark = pytest.mark.slow


@pytest.fixture
def url(server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.delenv("MOVELOG_TOKEN", raising=False)
    monkeypatch.setattr(events, "PAGE", 7)
    return server.url


def play(server: WebServer, count: int) -> list[str]:
    """Play this many new games to their end; return their ids."""
    archive, ids = Archive(server.service.log), [new_id() for _ in range(count)]
    for id in ids:
        archive.begin(id)
        archive.play(id)
        archive.play(id, last=True)
    return ids


def logs(server: WebServer) -> list[dict[str, Any]]:
    log = server.service.log
    found = [
        public_part(stream, entry) for stream in log.streams("game") for entry in log.read(stream)
    ]
    return sort(found)


def sort(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda event: (event["stream"], event["version"]))


def read(file: Path) -> list[dict[str, Any]]:
    return sort([json.loads(line) for line in file.read_text().splitlines()])


def test_a_mirror_goes_on_where_it_stopped(server: WebServer, url: str, tmp_path: Path) -> None:
    file = tmp_path / "mirror.ndjson"
    command = ["events", "--url", url, "-o", str(file)]
    play(server, 2)
    assert main(command) == 0
    assert read(file) == logs(server)
    play(server, 2)
    # A crash has left half a line beyond the position.
    with file.open("a") as torn:
        torn.write('{"version": 1, "ty')
    assert main(command) == 0
    assert read(file) == logs(server)
    before = file.read_bytes()
    assert main(command) == 0
    assert file.read_bytes() == before


def test_a_file_that_is_another_is_left_alone(
    server: WebServer, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mirror.ndjson"
    command = ["events", "--url", url, "-o", str(file)]
    file.write_text("mine\n")
    assert main(command) == 2
    assert "mirror.ndjson.position" in capsys.readouterr().err
    file.unlink()
    play(server, 1)
    assert main(command) == 0
    assert main([*command, "--after", "now"]) == 2
    file.write_text("")
    assert main(command) == 2
    assert file.read_text() == ""


def test_what_is_printed_is_followed_by_the_position(
    server: WebServer, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (game,) = play(server, 1)
    assert main(["events", "--url", url, "--games", game, "--types", "game-ended"]) == 0
    told = capsys.readouterr()
    (event,) = map(json.loads, told.out.splitlines())
    assert (event["stream"], event["type"]) == (str(stream_of(game)), "game-ended/1")
    name, position = told.err.split()
    assert name == "position"
    assert main(["events", "--url", url, "--after", position]) == 0
    assert capsys.readouterr().out == ""
    assert main(["events", "--url", url, "--types", "nonsense"]) == 1
    assert "refused (400 unknown-filter): --types: " in capsys.readouterr().err


def test_it_follows_until_it_is_interrupted_and_survives_broken_connections(
    server: WebServer,
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "mirror.ndjson"
    stream, pauses, broken = Client.stream, [0], [0]

    def pause(seconds: float) -> None:
        pauses[0] += 1
        if pauses[0] < 4:
            play(server, 1)
        elif file.exists() and read(file) == logs(server):
            raise KeyboardInterrupt

    def fail_at_times(self: Client, *given: Any, **named: Any) -> Any:
        broken[0] += 1
        if broken[0] % 3 == 0:
            raise ConnectionLost("cut")
        return stream(self, *given, **named)

    monkeypatch.setattr("service.cli.queries.events.time.sleep", pause)
    monkeypatch.setattr(Client, "stream", fail_at_times)
    assert main(["events", "--url", url, "-o", str(file), "--follow"]) == 130
    assert pauses[0] >= 4
    assert read(file) == logs(server)
