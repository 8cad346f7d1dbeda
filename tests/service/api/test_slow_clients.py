"""Clients that are slow, break off, or send no HTTP, and one that is served meanwhile."""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Iterator

import pytest
import requests

from service.player.repository import NewPlayer
from tests.service.api.crowd import PATIENCE, Caller, Crowd
from tests.service.api.live import SILENCE, bearer, post, running
from tests.service.api.test_crowds import open_streams
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

HEAD = b"POST /api/v1/players HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = HEAD + b"Content-Length: 400\r\n\r\n"
HALF_OPEN = 1500
RATE = 16 * 1024
"""Bytes a second that are fast enough."""
DRIP = 0.25
"""Seconds between two bytes of each half-open request."""
NOTES = 200
"""Annotations that are more than the buffers hold, and less than a player may write in a day."""


@pytest.fixture(scope="module")
def hasty(
    redis_process: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WebServer]:
    """A web process with shorter timeouts than the defaults."""
    with redis_process.client() as client:
        client.flushall()
    with WebServer(
        redis_process.url,
        tmp_path_factory.mktemp("hasty"),
        MOVELOG_HEAD_TIMEOUT="3",
        MOVELOG_BODY_TIMEOUT="6",
        MOVELOG_IDLE_TIMEOUT="4",
        MOVELOG_MIN_RATE=str(RATE),
    ) as running:
        yield running


def exchange(server: WebServer, sent: bytes) -> Caller:
    """Send bytes; returns what is answered up to the end of the connection."""
    with Crowd(server.port, 1) as crowd:
        crowd.send(sent)
        assert crowd.all_have(lambda caller: caller.ended)
        return crowd.callers[0]


def problem(caller: Caller) -> tuple[int, str]:
    """The status and code of a connection's last answer."""
    head, _, body = caller.received.rpartition(b"\r\n\r\n")
    assert b"application/problem+json" in head, caller.received
    found = json.loads(body)
    assert found["status"] == caller.status
    return caller.status, found["code"]


@pytest.mark.slow
@pytest.mark.parametrize("begun", [b"GET /api/v1/games HTTP/1.1\r\nX-Long: ", BODY])
def test_1500_half_open_requests_are_ended_while_others_are_answered(
    hasty: WebServer, begun: bytes
) -> None:
    innocent = requests.Session()
    with Crowd(hasty.port, HALF_OPEN) as crowd:
        crowd.send(begun)
        deadline = time.monotonic() + PATIENCE
        while not all(caller.ended for caller in crowd.callers):
            assert time.monotonic() < deadline, Counter(c.ended for c in crowd.callers)
            crowd.send(b"x")
            answer = innocent.get(f"{hasty.url}/api/v1/games", timeout=SILENCE)
            assert answer.status_code == 200
            crowd.all_have(lambda caller: caller.ended, patience=DRIP)
        # An answer may be lost if a byte was under way when the connection was closed.
        answered = [caller for caller in crowd.callers if caller.status]
        assert len(answered) > HALF_OPEN * 0.9
        assert {problem(caller) for caller in answered} == {(408, "too-slow")}
    assert hasty.log() == ""


@pytest.mark.slow
def test_a_body_may_come_slowly_but_steadily(hasty: WebServer) -> None:
    # It takes twice as long as a body may be silent, at no more than twice the minimum rate.
    body = b'{"name": "Ada"' + b" " * (24 * RATE) + b"}"
    with Crowd(hasty.port, 1) as crowd:
        crowd.send(HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body))
        for at in range(0, len(body), RATE):
            crowd.send(body[at : at + RATE])
            crowd.receive(0.5)
        assert crowd.all_have(lambda caller: caller.ended)
        assert crowd.callers[0].status == 201, crowd.callers[0].received


@pytest.mark.slow
def test_an_idle_connection_is_kept_for_a_while_and_then_closed_without_a_word(
    hasty: WebServer,
) -> None:
    with Crowd(hasty.port, 2) as crowd:
        used, unused = crowd.callers
        used.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert crowd.all_have(lambda caller: caller is unused or caller.status == 200)
        used.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert crowd.all_have(lambda caller: caller.ended)
        assert used.received.count(b"HTTP/1.1 200 OK") == 2
        assert used.received.endswith(b"}")
        assert unused.received == b""


@pytest.mark.slow
def test_who_takes_nothing_of_a_stream_is_cut_off(hasty: WebServer) -> None:
    ada = hasty.service.players.register("Ada", None)
    game = running(hasty, ada, hasty.service.players.register("Brahim", None))
    post(hasty, f"{game}/actions", {"action": "Pd1"}, ada)
    with Crowd(hasty.port, 1) as crowd:
        crowd.callers[0].socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        crowd.send(f"GET /api/v1{game}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        deadline = time.monotonic() + PATIENCE
        while open_streams(hasty) < 1:
            assert time.monotonic() < deadline
        note = {"comments": [f"{part} {'x' * 3900}" for part in range(16)]}
        for number in range(NOTES):
            note["comments"][0] = f"{number}"
            body = {"type": "annotate", "ply": 1, "annotation": note}
            post(hasty, f"{game}/commands", body, ada)
        while open_streams(hasty):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert hasty.log() == ""


@pytest.mark.slow
def test_an_upload_that_breaks_off_is_no_import(server: WebServer) -> None:
    ada = server.service.players.register("Ada", None)
    head = (
        b"POST /api/v1/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
        b"Content-Type: application/x-chess-pgn\r\nAuthorization: Bearer %s\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(head % ada.token.secret.encode() + b'[Event "Half"]\n\n')
        client.shutdown(socket.SHUT_WR)
        client.settimeout(SILENCE)
        answer = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b'"malformed-request"' in answer
    listed = requests.get(f"{server.url}/api/v1/imports", headers=bearer(ada), timeout=SILENCE)
    assert listed.json()["items"] == []


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"\x00\xff\xfe\r\n\r\n", (400, "malformed-request")),
        (b"GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n", (400, "malformed-request")),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", (400, "malformed-request")),
        (b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"x" * 9000), (414, "address-too-long")),
        (b"GET / HTTP/1.1\r\nX-A: %s\r\n\r\n" % (b"x" * 9000), (431, "headers-too-large")),
        (b"GET / HTTP/1.1\r\n%s\r\n" % (b"X-A: b\r\n" * 200), (431, "headers-too-large")),
        (HEAD + b"Transfer-Encoding: magic\r\n\r\n", (501, "http-error")),
        (HEAD + b"Expect: miracles\r\n\r\n", (417, "http-error")),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nnot a size\r\n", (400, "malformed-request")),
    ],
)
def test_what_is_no_http_is_a_problem_too(
    server: WebServer, sent: bytes, expected: tuple[int, str]
) -> None:
    caller = exchange(server, sent)
    assert problem(caller) == expected
    head = caller.received.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    assert b"x-content-type-options: nosniff" in head
    assert b"content-security-policy: default-src 'none'; frame-ancestors 'none'" in head


def test_nothing_that_a_client_does_leaves_a_traceback(server: WebServer) -> None:
    ada: NewPlayer = server.service.players.register("Ada", None)
    stream = f"GET /api/v1/me/stream HTTP/1.1\r\nAuthorization: Bearer {ada.token.secret}\r\n\r\n"
    begun = [b"", b"G", b"GET / HTTP/1.1\r\n", BODY, BODY + b"{", stream.encode(), b"\xff" * 500]
    for sent in begun:
        for reset in (False, True):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(sent)
                if reset:
                    linger = (1).to_bytes(4, "little") + bytes(4)
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    with Crowd(server.port, 50) as crowd:
        crowd.send(b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert requests.get(f"{server.url}/healthz", timeout=SILENCE).status_code == 200
    assert server.log() == ""
