"""A web process whose object store does not answer: only archived games wait for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from service.composition.service import now
from service.operations.archiving import archive_games
from tests.service.operations.test_archiving import SOON, finish
from tests.service.operations.test_backup import played_game, silent
from tests.service.redis_server import RedisServer
from tests.service.web_server import PATIENCE, WebServer

pytestmark = pytest.mark.slow
STALLED = 12
OTHERS = 6


@contextmanager
def stalling(file: Path) -> Iterator[None]:
    """Let whoever opens the file wait until the block ends, and then read nothing."""
    content = file.read_bytes()
    file.unlink()
    os.mkfifo(file)
    try:
        yield
    finally:
        # Open both ends, so that neither waits for the other.
        os.close(os.open(file, os.O_RDWR))
        file.unlink()
        file.write_bytes(content)


def test_requests_for_other_games_go_on(redis_server: RedisServer, tmp_path: Path) -> None:
    with WebServer(redis_server.url, tmp_path) as server:
        service = server.service
        cold, hot = [played_game(service) for _ in range(STALLED)], played_game(service)
        for id in cold:
            finish(service, id)
        assert archive_games(service, now() + SOON, silent).streams == STALLED
        (segment,) = (tmp_path / "objects" / "segments").glob("*/*")
        server.catch_up()

        def get(path: str) -> int:
            return requests.get(f"{server.url}/api/v1{path}", timeout=PATIENCE).status_code

        with ThreadPoolExecutor(STALLED) as pool:
            with stalling(segment):
                waiting = [pool.submit(get, f"/games/{id}") for id in cold]
                for _ in range(OTHERS):
                    assert get(f"/games/{hot}") == 200
                    assert get("/games") == 200
                assert not any(one.done() for one in waiting)
            assert {one.result() for one in waiting} <= {200, 503}
        assert [get(f"/games/{id}") for id in cold] == [200] * STALLED
