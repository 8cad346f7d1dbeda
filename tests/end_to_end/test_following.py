"""Mirrors that follow all games through forced restarts equal a direct read of the logs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from threading import Event, Thread
from typing import Any

import pytest
import requests

from engine.registry import VARIANTS
from notation.registry import find_dialect
from tests.end_to_end.running import Running, is_alive, kill
from tests.games import random_actions
from tests.waiting import PATIENCE, eventually, join, patiently

PLIES = 12
LINES = 200
"""Lines per request."""
PAGE = 500
"""Events per page of the feed; games take many pages while they are played."""
SEATS = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}


class Mirror:
    """Keeps every event and the latest position, and resumes from there after any failure.

    It asks `running` for the service's address, which a restart may change.
    """

    def __init__(self, running: Running) -> None:
        self.running = running
        self.events: list[dict[str, Any]] = []
        self.position = "start"
        self.failures = 0
        self.over = Event()
        self.caught_up = Event()
        self.thread = Thread(target=self.run, name=type(self).__name__, daemon=True)

    def run(self) -> None:
        while not self.over.is_set():
            self.caught_up.clear()
            try:
                self.read()
            except (OSError, ValueError):
                # A truncated line is requested again, with everything after it.
                self.failures += 1
                self.over.wait(0.1)

    def read(self) -> None:
        """Read and keep what comes after the latest position."""
        raise NotImplementedError


class Pages(Mirror):
    """Reads the feed in pages."""

    def read(self) -> None:
        answer = requests.get(
            f"{self.running.url}/api/v1/events",
            {"after": self.position, "limit": str(PAGE)},
            timeout=PATIENCE,
        )
        answer.raise_for_status()
        *events, last = map(json.loads, answer.text.splitlines())
        self.events += events
        self.position = last["position"]
        if last["caught_up"]:
            self.caught_up.set()
            self.over.wait(0.2)


class Messages(Mirror):
    """Reads the feed as an event stream."""

    def read(self) -> None:
        answer = requests.get(
            f"{self.running.url}/api/v1/stream",
            {"after": self.position, "until": "caught_up"},
            timeout=PATIENCE,
            stream=True,
        )
        answer.raise_for_status()
        for event, id, data in read_messages(answer.iter_lines(decode_unicode=True)):
            if event == "message":
                self.events.append(json.loads(data))
            self.position = id or self.position
            if event == "caught_up":
                self.caught_up.set()


def read_messages(lines: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the event name, id and data of each complete message of an event stream."""
    parts: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            parts[name] = value
        else:
            yield parts.get("event", "message"), parts.get("id", ""), parts.get("data", "")
            parts = {}


def begin_games(running: Running, count: int) -> dict[str, list[str]]:
    """Create games, the variants taking turns; returns by id the actions to play."""
    games = {}
    for seed, variant in zip(range(count), cycle(VARIANTS), strict=False):
        actions, _ = random_actions(variant, seed, PLIES)
        written = find_dialect(variant)
        wish = {"variant": variant, "mode": "scribe", "players": SEATS}
        if VARIANTS[variant].secret_choice:
            wish["infiltrators"] = "unknown"
        id = send(running, "/games", json.dumps(wish), f"game {seed}").json()["id"]
        games[id] = [written.coordinate(action) for action in actions]
    return games


def play(running: Running, lines: list[dict[str, str]]) -> None:
    """Play the actions of these lines, each once, however often the service fails."""
    for at in range(0, len(lines), LINES):
        text = "".join(json.dumps(line) + "\n" for line in lines[at : at + LINES])
        answers = list(map(json.loads, send(running, "/actions", text).text.splitlines()))
        assert [answer["status"] for answer in answers] == [200] * len(lines[at : at + LINES])


def send(running: Running, path: str, body: str, key: str | None = None) -> requests.Response:
    """Post a body until a complete answer arrives."""
    kind = "application/json" if key else "application/x-ndjson"
    headers = {"Content-Type": kind, "Authorization": f"Bearer {running.token}"}
    if key:
        headers["Idempotency-Key"] = key
    for _ in patiently(f"{path} is answered"):
        try:
            answer = requests.post(
                f"{running.url}/api/v1{path}", body, headers=headers, timeout=PATIENCE
            )
        except OSError:
            continue
        if answer.status_code < 500:
            answer.raise_for_status()
            return answer
    raise AssertionError


def restart_by_force(running: Running) -> None:
    """Kill everything as a power cut would, and start it again."""
    processes = running.processes()
    for pid in processes:
        kill(pid)
    running.process.wait(PATIENCE)
    eventually(lambda: not any(map(is_alive, processes)), "nothing is left")
    running.start_again()


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.soak)])
def test_mirrors_miss_and_double_nothing_through_restarts(running: Running, count: int) -> None:
    games = begin_games(running, count)
    lines = [
        {"game": id, "action": actions[ply], "key": f"{id} {ply}"}
        for ply in range(PLIES)
        for id, actions in games.items()
        if ply < len(actions)
    ]
    mirrors: list[Mirror] = [Pages(running), Messages(running)]
    for mirror in mirrors:
        mirror.thread.start()
    third = len(lines) // 3
    play(running, lines[:third])
    restart_by_force(running)
    play(running, lines[third : 2 * third])
    running.restart()
    play(running, lines[2 * third :])
    logs = {id: running.get(f"/games/{id}/events", limit=1000)["items"] for id in games}
    for mirror in mirrors:
        # The second read to catch up from here began after the last event.
        for _ in range(2):
            mirror.caught_up.clear()
            assert mirror.caught_up.wait(PATIENCE)
        mirror.over.set()
        join(mirror.thread)
        check(mirror, logs)
        assert mirror.failures > 0


def check(mirror: Mirror, logs: dict[str, list[dict[str, Any]]]) -> None:
    """The mirror has exactly the events of these logs, each once and in order."""
    found: dict[str, list[dict[str, Any]]] = {id: [] for id in logs}
    for event in mirror.events:
        kind, _, id = event["stream"].partition(":")
        if kind == "game" and id in found:
            found[id].append(event)
    played = Counter(len(events) for events in found.values())
    assert found == logs, f"events of games: {played}"
    assert len(mirror.events) == sum(map(len, logs.values()))
