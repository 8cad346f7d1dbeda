"""One rate limit that several web processes share."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path

import pytest
import redis
from flask import Flask

from service.api import as_of, tournament_reports
from service.api.context import EXTENSION
from service.api.errors import TooManyRequests
from service.api.rate_limits import EXCHANGE, RateLimit
from service.player.repository import NewPlayer
from tests.service.api.client import error
from tests.service.api.conftest import Clock, Configured
from tests.service.api.crowd import Crowd
from tests.service.api.live import SILENCE
from tests.service.api.tournaments import Desk
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

APP = Flask("limits")
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}


def passes(limit: RateLimit, address: str = "1.2.3.4") -> bool:
    """Whether a request from this address is let through; waits for an exchange that it begins."""
    try:
        with APP.test_request_context("/x", environ_base={"REMOTE_ADDR": address}):
            limit.check()
    except TooManyRequests:
        return False
    finally:
        for thread in threading.enumerate():
            if thread.name == "limits":
                thread.join(SILENCE)
    return True


def exchanged(limit: RateLimit, clock: Clock) -> None:
    """Let a second pass, so that another client's request starts an exchange."""
    clock.at += EXCHANGE
    passes(limit, "9.9.9.9")


def test_processes_learn_each_second_what_others_have_counted(
    redis_server: RedisServer, clock: Clock
) -> None:
    with redis_server.client() as store:
        one, other = (RateLimit("6/hour", store) for _ in range(2))
        assert [passes(one) for _ in range(4)] == [True] * 4
        # Counts not yet exchanged are the overshoot: at most the limit again in each process.
        assert [passes(other) for _ in range(3)] == [True] * 3
        exchanged(one, clock)
        exchanged(other, clock)
        assert not passes(other)
        # A process fetches only the counts of clients that it has counted since the last exchange.
        assert passes(one)
        exchanged(one, clock)
        assert not passes(one)
        assert passes(one, "5.6.7.8")
        clock.at += 3600
        assert passes(one)
        assert passes(other)


def test_what_was_told_is_not_told_again(redis_server: RedisServer, clock: Clock) -> None:
    with redis_server.client() as store:
        limit = RateLimit("6/hour", store)
        assert [passes(limit) for _ in range(3)] == [True] * 3
        for _ in range(4):
            exchanged(limit, clock)
        assert [passes(limit) for _ in range(4)] == [True] * 3 + [False]
        (key,) = store.keys("movelog:rate:*")
        assert 3600 < store.ttl(key) <= 7200
        assert store.hget(key, "1.2.3.4") == b"3"


def test_a_read_beyond_the_limit_is_counted_once(configured: Configured, clock: Clock) -> None:
    """Even one answered from ready bytes, for which two places check the limit."""
    api = configured(MOVELOG_RATE_LIMIT="12/hour", MOVELOG_LOG_URL="")
    path = api.running(api.player("Ada"), api.player("Brahim"))
    eve = api.player("Eve")
    answers = [api.get(path, eve) for _ in range(20)]
    assert [answer.status_code for answer in answers] == [200] * 12 + [429] * 8
    assert {error(answer) for answer in answers[12:]} == {(429, "too-many-requests")}
    assert answers[-1].headers["Retry-After"] == "3600"
    limit = api.app.extensions[EXTENSION].rate_limit
    exchanged(limit, clock)
    (key,) = api.service.store.keys("movelog:rate:*")
    assert api.service.store.hget(key, eve.id) == b"20"


def test_results_of_a_large_tournament_count_as_several_requests(
    configured: Configured, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_of, "ENTRANTS", 2)
    api = configured(MOVELOG_RATE_LIMIT="40/hour")
    desk = Desk(api, api.player("Olga", "arbiter", "play"), players=5)
    desk.pair()

    def read_until_refused(path: str, reader: NewPlayer) -> int:
        answers = iter(lambda: api.get(path, reader).status_code, 429)
        return sum(1 for _ in answers)

    # Five players: two requests more each time.
    assert read_until_refused(f"{desk.path}/standings", api.player("Ada")) == 13
    assert read_until_refused(f"{desk.path}/cross-table", api.player("Brahim")) == 13
    assert read_until_refused(desk.path, api.player("Carla")) == 40
    # Five players in one round: one request more for the report.
    monkeypatch.setattr(tournament_reports, "RESULTS", 4)
    assert read_until_refused(f"{desk.path}/trf", api.player("Dan")) == 10
    # A page shows standings, cross table and rounds.
    page = desk.path
    pages = iter(lambda: api.http.get(page, environ_base=ELSEWHERE).status_code, 429)
    assert sum(1 for _ in pages) == 5


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/games"), ("GET", "/me"), ("POST", "/games/{id}/actions")]
)
def test_bad_tokens_count_for_the_address(
    configured: Configured, clock: Clock, method: str, path: str
) -> None:
    api = configured(MOVELOG_RATE_LIMIT="6/hour")
    ada = api.player("Ada")
    # Actions are carried out directly after the first one.
    game = api.scribed(ada)
    assert api.post(f"{game}/actions", {"action": "c2d1"}, ada).status_code == 200
    path = path.format(id=game.removeprefix("/games/"))
    body = b'{"action": "b6a5"}' if method == "POST" else b""
    answers = [
        api.send(method, path, None, body, "application/json", Authorization=f"Bearer {number}")
        for number in range(8)
    ]
    assert [error(answer) for answer in answers] == [(401, "bad-token")] * 6 + [
        (429, "too-many-requests")
    ] * 2
    assert error(api.get("/games")) == (429, "too-many-requests")
    assert api.get("/games", ada).status_code == 200
    limit = api.app.extensions[EXTENSION].rate_limit
    exchanged(limit, clock)
    (key,) = api.service.store.keys("movelog:rate:*")
    assert api.service.store.hget(key, "127.0.0.1") == b"9"


def test_without_the_store_each_process_counts_for_itself(tmp_path: Path, clock: Clock) -> None:
    with redis.Redis.from_url(f"unix://{tmp_path / 'nothing.sock'}") as away:
        limit = RateLimit("3/hour", away)
        assert passes(limit)
        exchanged(limit, clock)
        exchanged(limit, clock)
        assert [passes(limit) for _ in range(3)] == [True, True, False]


def test_what_was_counted_without_the_store_is_told_later(
    redis_server: RedisServer, clock: Clock
) -> None:
    with redis_server.client() as store:
        one, other = (RateLimit("4/hour", store) for _ in range(2))
        assert [passes(one) for _ in range(3)] == [True] * 3
        redis_server.kill()
        try:
            exchanged(one, clock)
        finally:
            redis_server.start()
        assert passes(other)
        exchanged(one, clock)
        exchanged(other, clock)
        assert not passes(other)


LIMIT = 300


@pytest.mark.slow
def test_two_workers_keep_one_limit(redis_process: RedisServer, tmp_path: Path) -> None:
    given = {"MOVELOG_WEB_WORKERS": "2", "MOVELOG_RATE_LIMIT": f"{LIMIT}/day"}
    with redis_process.client() as client:
        client.flushall()
    with WebServer(redis_process.url, tmp_path, **given) as server:
        passed, began = [burst(server, 20)], time.monotonic()
        while passed[-1]:
            assert len(passed) < LIMIT, server.log()
            time.sleep(0.2)
            passed.append(burst(server, 20))
        seconds = time.monotonic() - began
        # Both let through what came within about a second of their last exchange.
        assert sum(passed_by_each(server)) == sum(passed)
        a_second = sum(passed) * 2 * EXCHANGE / seconds
        assert LIMIT <= sum(passed) <= LIMIT + a_second + 20 < 2 * LIMIT


def burst(server: WebServer, count: int) -> int:
    """Send `count` requests at once, each on its own connection; returns how many pass."""
    with Crowd(server.port, count) as crowd:
        crowd.send(b"GET /api/v1/variants HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert crowd.all_have(lambda caller: caller.ended)
        statuses = Counter(caller.status for caller in crowd.callers)
    assert set(statuses) <= {200, 429}
    return statuses[200]


def passed_by_each(server: WebServer) -> list[float]:
    """How many requests each of two workers has let through; fails if one of them has none."""
    labels = '{method="GET",route="/api/v1/variants",status="200"} '
    # By when a worker began to count, since both may have let through the same number.
    found: dict[str, float] = {}
    deadline = time.monotonic() + SILENCE
    while len(found) < 2:
        assert time.monotonic() < deadline, found
        with Crowd(server.port, 10) as crowd:
            crowd.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert crowd.all_have(lambda caller: caller.ended)
        for caller in crowd.callers:
            parts = caller.received.decode().split(labels)
            if len(parts) > 1:
                passed, began = (part.split("\n")[0] for part in parts[1:])
                found[began] = float(passed)
    return list(found.values())
