"""`movelog web` and `movelog streams`: which requests each answers, and how each ends."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from service.api.process_part import is_stream
from service.composition.service import Service, compose
from service.operations.web_app import create_app
from service.settings import read_settings
from tests.contracts.document import operations
from tests.end_to_end.running import movelog
from tests.service.operations.parts import PATIENCE, Part
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow


def test_the_paths_of_streams_are_told_apart_from_all_others() -> None:
    streamed = {
        path
        for (path, _), operation in operations().items()
        if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
    }
    assert len(streamed) == 7
    assert {path for path, _ in operations() if is_stream(path)} == streamed


@pytest.fixture(scope="module")
def folder(redis_process: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with redis_process.client() as client:
        client.flushall()
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def web(redis_process: RedisServer, folder: Path) -> Iterator[Part]:
    with Part("web", redis_process.url, folder, MOVELOG_DRAIN_NOTICE="0") as web:
        yield web
    assert web.log() == ""


@pytest.fixture(scope="module")
def game(web: Part) -> str:
    """The path of a game that is being recorded."""
    player = requests.post(f"{web.url}/api/v1/players", json={"name": "Ada"}, timeout=PATIENCE)
    bearer = {"Authorization": f"Bearer {player.json()['token']['secret']}"}
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    made = requests.post(f"{web.url}/api/v1/games", json=wish, headers=bearer, timeout=PATIENCE)
    return f"/api/v1/games/{made.json()['id']}"


def test_web_leaves_streams_to_others(web: Part, game: str) -> None:
    refused = requests.get(f"{web.url}{game}/stream", timeout=PATIENCE)
    assert (refused.status_code, refused.json()["code"]) == (421, "streams-elsewhere")
    assert web.ask(game) == 200


@pytest.mark.parametrize(
    "command", ["web", "streams", "worker", "worker --only imports", "projector"]
)
def test_a_part_does_not_start_with_an_object_store_that_cannot_be_written(
    command: str, redis_process: RedisServer, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    url = f"file://{tmp_path}/file/objects"
    given = {"MOVELOG_OBJECTS_URL": url, "MOVELOG_REDIS_URL": redis_process.url}
    refused = movelog(*command.split(), MOVELOG_DATA_DIR=str(tmp_path / "data"), **given)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"movelog: the object store {url} cannot be used (")


def test_streams_answers_nothing_else_and_ends_calmly(
    redis_process: RedisServer, folder: Path, game: str
) -> None:
    # Three requests are answered meanwhile, even by a busy machine.
    notice = {"MOVELOG_DRAIN_NOTICE": "8"}
    with Part("streams", redis_process.url, folder, **notice) as streams:
        assert streams.ask("/metrics") == 200
        assert [streams.ask(path) for path in (game, "/", "/api/v1/games")] == [404] * 3
        with requests.get(
            f"{streams.url}{game}/stream?view=board", stream=True, timeout=PATIENCE
        ) as stream:
            lines = stream.iter_lines(decode_unicode=True)
            assert next(lines).startswith("id: ")
            streams.terminate()
            # It announces that it is about to end, and goes on answering meanwhile.
            deadline = time.monotonic() + PATIENCE
            while streams.ask("/readyz") == 200:
                assert time.monotonic() < deadline
            refused = requests.get(f"{streams.url}/readyz", timeout=PATIENCE)
            assert (refused.status_code, refused.json()["code"]) == (503, "shutting-down")
            assert streams.ask("/healthz") == 200
            last = list(lines)
        assert last[-4:] == ["retry: 1000", "event: reconnect", "data: {}", ""]
        assert streams.ask("/healthz") == 0
        streams.wait()
    assert streams.log() == ""


def test_a_request_that_has_begun_is_finished(redis_process: RedisServer, folder: Path) -> None:
    body = json.dumps({"name": "Brahim"}).encode()
    head = (
        "POST /api/v1/players HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    notice = {"MOVELOG_DRAIN_NOTICE": "0"}
    with (
        Part("web", redis_process.url, folder, **notice) as part,
        socket.create_connection(("127.0.0.1", part.port), timeout=PATIENCE) as slow,
        socket.create_connection(("127.0.0.1", part.port), timeout=PATIENCE) as idle,
    ):
        slow.sendall(head.encode() + body[:5])
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
        assert idle.recv(1 << 16).startswith(b"HTTP/1.1 200")
        part.terminate()
        # An idle connection is not waited for.
        while idle.recv(1 << 16):
            pass
        assert part.ask("/healthz") == 0
        slow.sendall(body[5:])
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 201")
        while slow.recv(1 << 16):
            pass
        part.wait()
    assert part.log() == ""


def test_a_process_without_streams_apart_answers_everything(
    redis_process: RedisServer, folder: Path, game: str
) -> None:
    service: Service = compose(
        read_settings(
            {"MOVELOG_REDIS_URL": redis_process.url, "MOVELOG_DATA_DIR": str(folder / "data")}
        )
    )
    client = create_app(service).test_client()
    assert client.get(game).status_code == 200
    with client.get(f"{game}/stream?until=caught_up") as stream:
        assert stream.status_code == 200
