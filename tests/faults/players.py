"""Clients that carry on through faults: score-keepers who play games, watchers who follow them."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, Final
from uuid import uuid4

import requests

from tests.end_to_end.running import Running
from tests.faults.history import GameHistory, History, Outcome, Read, Write

VARIANTS: Final = ("katruji", "kerak", "kerd", "kerd-draft")
CHOICES: Final = {"kerd": ("e11", "e2"), "kerd-draft": ("e11", "e2")}
LONGEST: Final = 40
"""Exclusive bound of the ply limit, which each game chooses at random."""
ANNOTATES, RESIGNS, SENDS_TWICE, READS = 0.1, 0.02, 0.15, 0.3
TIMEOUT: Final = 10.0
"""Seconds that a client waits for an answer before it sends the request again."""
PAUSE: Final = 0.2
RETRIED: Final = {429, 500, 502, 503, 504, 507}


class Refused(Exception):
    """The service refused a correct request."""


class ScoreKeeper(threading.Thread):
    """Plays one game after the other; when told to stop, it finishes the last one.

    Every request is recorded. Requests without an answer are sent again under the same idempotency
    key, and some are sent twice at once. `patience` is how many seconds it tries before it gives up
    a request.
    """

    def __init__(
        self, running: Running, history: History, seed: str, stop: threading.Event, patience: float
    ) -> None:
        super().__init__(name=f"score-keeper {seed}", daemon=True)
        self.running, self.history = running, history
        self.random = Random(seed)
        self.stopping = stop
        self.patience = patience
        self.http = requests.Session()
        self.watchers: list[Watcher] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Play until told to stop; an exception is kept in `failure`."""
        try:
            while not self.stopping.is_set():
                self.play_game()
        except BaseException as failure:
            self.failure = failure
        finally:
            self.http.close()

    def play_game(self) -> None:
        """Play one game from its creation to its end, or until a request is given up."""
        variant = self.random.choice(VARIANTS)
        created = self.create(variant)
        if created is None:
            return
        game = self.history.add_game(created["id"])
        told = [(1, "game-created/1", {"variant": variant, "mode": "scribe"})]
        game.writes.append(Write(game.id, "", {}, Outcome.ACKNOWLEDGED, told))
        self.watchers.append(Watcher(self.running, game))
        self.watchers[-1].start()
        for side, square in zip(("first", "second"), CHOICES.get(variant, ()), strict=False):
            if self.write(game, "commands", {"type": "choose", "side": side, "square": square}):
                return
        while not game.ended:
            if self.act(game):
                return

    def create(self, variant: str) -> dict[str, Any] | None:
        """Create a game; None without an answer."""
        names = {"first": {"name": "Ada"}, "second": {"name": "Ben"}}
        tags = {"PlyLimit": str(self.random.randrange(2, LONGEST))}
        wish = {"variant": variant, "mode": "scribe", "players": names, "tags": tags}
        key = str(uuid4())
        answer, _ = self.persist(lambda: self.send("/games", wish, key))
        if answer is None:
            self.history.lose_creation()
        return answer

    def act(self, game: GameHistory) -> bool:
        """Act once in a game; returns whether the request was given up."""
        if self.random.random() < RESIGNS:
            side = self.random.choice(("first", "second"))
            return self.write(game, "commands", {"type": "resign", "side": side})
        legal, _ = self.persist(lambda: self.get(f"/games/{game.id}/legal"))
        if legal is None:
            return True
        known = game.writes[-1].events[-1][0]
        game.reads.append(Read(game.id, legal["version"], known))
        if not legal["actions"]:
            game.ended = True
            return False
        body: dict[str, Any] = {"action": self.random.choice(legal["actions"])["action"]}
        if self.random.random() < 0.5:
            body["expected_version"] = known
        if self.write(game, "actions", body):
            return True
        if self.random.random() < ANNOTATES and (ply := last_ply(game)):
            text = {"comments": [f"seen at {known} by {self.name}"]}
            return self.write(
                game, "commands", {"type": "annotate", "ply": ply, "annotation": text}
            )
        return False

    def write(self, game: GameHistory, where: str, body: Mapping[str, Any]) -> bool:
        """Send a write until it is answered; returns whether it was given up."""
        key = str(uuid4())
        path = f"/games/{game.id}/{where}"
        answer, attempts = self.persist(lambda: self.send(path, body, key))
        if answer is None:
            game.writes.append(Write(game.id, key, body, Outcome.UNKNOWN, (), attempts))
            return True
        told = [(e["version"], e["type"], e["data"]) for e in answer["events"]]
        game.writes.append(Write(game.id, key, body, Outcome.ACKNOWLEDGED, told, attempts))
        game.ended = game.ended or answer["game"]["status"] == "finished"
        return False

    def persist(self, ask: Callable[[], requests.Response]) -> tuple[dict[str, Any] | None, int]:
        """Repeat a request until it is answered or patience ends; returns answer and attempts.

        Raises Refused for an answer that repeating the request will not change.
        """
        deadline = time.monotonic() + self.patience
        attempts = 0
        while time.monotonic() < deadline:
            attempts += 1
            try:
                answer = ask()
                if answer.ok:
                    found: dict[str, Any] = answer.json()
                    return found, attempts
            except requests.RequestException:
                time.sleep(PAUSE)
                continue
            if answer.status_code not in RETRIED:
                raise Refused(f"{answer.request.method} {answer.url}: {answer.text}")
            time.sleep(PAUSE)
        return None, attempts

    def send(self, path: str, body: Mapping[str, Any], key: str) -> requests.Response:
        """Post once, or twice at the same time, in which case both answers must agree."""
        if self.random.random() >= SENDS_TWICE:
            return self.post(self.http, path, body, key)
        with ThreadPoolExecutor(1) as pool, requests.Session() as other:
            twin = pool.submit(self.post, other, path, body, key)
            first = self.post(self.http, path, body, key)
            second = twin.result()
        if first.ok and second.ok and versions(first) != versions(second):
            raise Refused(f"{path} {body}: {first.text} and {second.text}")
        return first if first.ok else second

    def post(
        self, http: requests.Session, path: str, body: Mapping[str, Any], key: str
    ) -> requests.Response:
        """Send one POST request."""
        headers = {"Authorization": f"Bearer {self.running.token}", "Idempotency-Key": key}
        url = f"{self.running.url}/api/v1{path}"
        return http.post(url, json=body, headers=headers, timeout=TIMEOUT)

    def get(self, path: str) -> requests.Response:
        """Send one GET request."""
        headers = {"Authorization": f"Bearer {self.running.token}"}
        return self.http.get(f"{self.running.url}/api/v1{path}", headers=headers, timeout=TIMEOUT)


class Watcher(threading.Thread):
    """Follows a game's stream until it sends the score, resuming after every break."""

    def __init__(self, running: Running, game: GameHistory) -> None:
        super().__init__(name=f"watcher {game.id}", daemon=True)
        self.running, self.game = running, game
        self.stopping = threading.Event()
        self.heard: deque[str] = deque(maxlen=40)
        """When the stream was heard and what it sent, for finding out why it fell silent."""

    def run(self) -> None:
        """Follow the game."""
        scored = False
        while not (scored or self.stopping.is_set()):
            try:
                scored = self.follow()
            except requests.RequestException as error:
                self.note(repr(error))
                time.sleep(PAUSE)

    def note(self, what: str) -> None:
        """Keep the last lines; empty lines only end an event."""
        if what:
            self.heard.append(f"{time.time():.3f} {what}")

    def follow(self) -> bool:
        """Read one connection's events; returns whether the score was among them."""
        last = self.game.watched[-1] if self.game.watched else 0
        url = f"{self.running.url}/api/v1/games/{self.game.id}/stream"
        headers = {"Last-Event-ID": str(last)}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT * 2) as answer:
            if not answer.ok:
                self.note(f"{answer.status_code} {answer.text}")
                time.sleep(PAUSE)
                return False
            self.note(f"{answer.status_code} after {last}")
            for line in answer.iter_lines(chunk_size=1):
                self.note(line.decode())
                if self.stopping.is_set():
                    break
                if line.startswith(b"data: ") and "type" in (told := json.loads(line[6:])):
                    self.game.watched.append(told["version"])
                    if told["type"] == "game-scored/1":
                        return True
        return False


def versions(answer: requests.Response) -> list[int]:
    """The versions of the events in an answer; for a creation, the game's version."""
    told = answer.json()
    return [event["version"] for event in told["events"]] if "events" in told else [told["version"]]


def last_ply(game: GameHistory) -> int | None:
    """The ply of the newest action in the game's history."""
    for write in reversed(game.writes):
        for _, type, data in write.events:
            if type == "action-played/1":
                return int(data["ply"])
    return None
