"""One trace leads from a request through the log to the projector and to event streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import pytest
import requests

from tests.service.operations.parts import PATIENCE, Part
from tests.service.redis_server import RedisServer
from tests.service.tracing.receiver import Receiver, Span, run_receiver
from tests.waiting import eventually

pytestmark = pytest.mark.slow

CALLER: Final = "00f067aa0ba902b7"
PLAYED: Final = "POST /api/v1/games/<id:id>/actions"
TOLD: Final = {
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "error.type",
    "messaging.system",
    "messaging.operation.name",
    "messaging.operation.type",
    "messaging.destination.name",
    "messaging.batch.message_count",
    "movelog.stream.id",
    "movelog.clients",
}
"""The only attributes of spans: where one is added, see that it tells nothing that is secret."""
SERVER, PRODUCER, CONSUMER = 2, 4, 5


@dataclass(slots=True)
class Traced:
    """A service whose parts send their traces to a receiver."""

    web: Part
    streams: Part
    receiver: Receiver
    token: str

    def ask(self, method: str, path: str, trace: str = "", flags: str = "01", **sent: Any) -> Any:
        """The answer to a request that is part of this trace, or else of a new one."""
        parent = f"00-{trace or uuid4().hex}-{CALLER}-{flags}"
        headers = {"Authorization": f"Bearer {self.token}", "traceparent": parent}
        answer = requests.request(
            method, f"{self.web.url}{path}", headers=headers, timeout=PATIENCE, json=sent or None
        )
        assert answer.ok, answer.text
        return answer

    def begin_game(self, variant: str) -> str:
        """Create a game to be recorded; return its path."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        made = self.ask("POST", "/api/v1/games", variant=variant, mode="scribe", players=seats)
        return f"/api/v1/games/{made.json()['id']}"

    def find(self, trace: str, name: str) -> Span:
        """The only span of a trace with this name, once it has arrived."""
        (span,) = eventually(lambda: self.receiver.find(trace, name), f"{name} comes")
        return span


@pytest.fixture(scope="module")
def traced(
    redis_process: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Traced]:
    with redis_process.client() as client:
        client.flushall()
    folder = tmp_path_factory.mktemp("traced")
    with run_receiver() as receiver, ExitStack() as running:
        given = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "MOVELOG_DRAIN_NOTICE": "0",
        }
        parts = [
            running.enter_context(Part(command, redis_process.url, folder, **given))
            for command in ("web", "streams", "projector")
        ]
        made = requests.post(
            f"{parts[0].url}/api/v1/players", json={"name": "Ada"}, timeout=PATIENCE
        )
        yield Traced(parts[0], parts[1], receiver, made.json()["token"]["secret"])
    assert [part.log() for part in parts[:2]] == ["", ""]


def test_a_move_is_one_trace_from_its_request_to_who_watches_it(traced: Traced) -> None:
    game, trace = traced.begin_game("katruji"), uuid4().hex
    with requests.get(
        f"{traced.streams.url}{game}/stream", stream=True, timeout=PATIENCE
    ) as stream:
        lines = stream.iter_lines(decode_unicode=True)
        next(line for line in lines if line == "event: caught_up")
        traced.ask("POST", f"{game}/actions", trace, action="Pa4")
        next(line for line in lines if '"action-played/1"' in line)

    request = traced.find(trace, PLAYED)
    assert (request.service, request.kind, request.parent) == ("movelog-web", SERVER, CALLER)
    assert request.attributes["http.response.status_code"] == 200
    append = traced.find(trace, "append game")
    assert (append.service, append.kind, append.parent) == ("movelog-web", PRODUCER, request.id)
    assert append.attributes["movelog.stream.id"] == game.rpartition("/")[2]
    for name, service in (
        ("project game", "movelog-projector"),
        ("deliver game", "movelog-streams"),
    ):
        span = traced.find(trace, name)
        assert (span.service, span.kind, span.parent) == (service, CONSUMER, append.id)
    assert span.attributes["movelog.clients"] == 1


def test_what_a_page_asks_of_the_api_is_in_its_trace(traced: Traced) -> None:
    trace = uuid4().hex
    traced.ask("GET", "/games", trace)
    page = traced.find(trace, "GET /games")
    assert page.parent == CALLER
    within = [one.name for one in traced.receiver.spans if one.parent == page.id]
    assert within
    assert all(name.startswith("GET /api/v1/") for name in within)


def test_what_the_caller_does_not_sample_is_not_traced(traced: Traced) -> None:
    game, unseen, seen = traced.begin_game("katruji"), uuid4().hex, uuid4().hex
    traced.ask("POST", f"{game}/actions", unseen, flags="00", action="Pa4")
    traced.ask("POST", f"{game}/actions", seen, action="Pa5")
    traced.find(seen, "project game")
    assert [one for one in traced.receiver.spans if one.trace == unseen] == []


def test_traces_tell_nothing_secret(traced: Traced) -> None:
    game, trace = traced.begin_game("kerd"), uuid4().hex
    traced.ask("POST", f"{game}/commands", trace, type="choose", square="f11", side="first")
    traced.find(trace, "project game")
    assert {name for span in traced.receiver.spans for name in span.attributes} <= TOLD
    assert all(traced.token.encode() not in body for body in traced.receiver.bodies)
