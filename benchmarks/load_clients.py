"""Clients of a service under load: players, bots, spectators, an importer and an arbiter.

They are plain threads over sockets, not Locust: most of the load is event streams that are held
open, and one thread with a selector reads thousands of them more cheaply than a greenlet for each.
"""

from __future__ import annotations

import heapq
import itertools
import json
import re
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Any, Final
from urllib.request import Request, urlopen

from benchmarks.importing import GAMES, archive
from benchmarks.submitting import KeptConnection, long_game

THINK: Final = 2.0
"""Seconds after which a player plays."""
SENDERS: Final = 16
"""How many connections actions are sent on."""
PLIES: Final = 400
WATCHERS: Final = 5
BOTS: Final = 5
"""One in this many tables has a bot."""
TOLD: Final = re.compile(rb"id: ([0-9]+)\nevent: board\n")
TURN: Final = re.compile(rb"event: your-turn\n(?:.*\n)*?data: .*?\"game\": ?\"(\w+)\"")
LOOK: Final = 0.1
IMPORTED: Final = 20.0
"""The least seconds from the beginning of one import to that of the next."""
Heard = Callable[[bytes, float], None]


@dataclass(slots=True)
class Seen:
    """What clients have measured since it was last taken; safe for threads."""

    actions: list[float] = field(default_factory=list)
    deliveries: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    late: float = 0.0
    imported: int = 0
    rounds: int = 0
    listed: list[float] = field(default_factory=list)

    def take(self) -> Seen:
        """Return all of it, and begin anew."""
        own = replace(self)
        fresh = Seen()
        for name in self.__slots__:
            setattr(self, name, getattr(fresh, name))
        return own


class Streams:
    """Event streams, all read by one thread."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._selector = selectors.DefaultSelector()
        self._numbers = itertools.count()
        self._over = Event()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def follow(self, path: str, heard: Heard, token: str = "") -> None:
        """Hold a stream open; `heard` is called with what comes, and when."""
        # The ports of one client address are limited.
        source = (f"127.0.1.{1 + next(self._numbers) // 500}", 0)
        connection = socket.create_connection(("127.0.0.1", self.port), source_address=source)
        bearer = f"Authorization: Bearer {token}\r\n" if token else ""
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{bearer}\r\n".encode())
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, heard)

    def _read(self) -> None:
        while not self._over.is_set():
            for key, _ in self._selector.select(LOOK):
                assert isinstance(key.fileobj, socket.socket)
                try:
                    data = key.fileobj.recv(1 << 18)
                except OSError:
                    data = b""
                if not data:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()
                    continue
                key.data(data, time.perf_counter())

    def close(self) -> None:
        """Close all streams."""
        self._over.set()
        self._reader.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()


@dataclass(slots=True)
class Table:
    """A game, the tokens of both sides, and when each version was sent.

    `acting` is held until an action is answered: the opponent's stream may tell of it earlier.
    """

    id: str
    tokens: Sequence[str]
    has_bot: bool
    actions: Sequence[str]
    ply: int = 0
    sent: dict[int, float] = field(default_factory=dict)
    acting: Lock = field(default_factory=Lock)


class Hall:
    """Tables at which players and bots play, and the spectators of each."""

    def __init__(self, port: int, tokens: Sequence[str], ids: Sequence[str]) -> None:
        """`tokens` and `ids` are those of the players; the last one is the bot."""
        self.port, self.tokens, self.ids = port, tokens, ids
        self.seen = Seen()
        self.tables: dict[str, Table] = {}
        self.streams = Streams(port)
        self._actions = long_game(PLIES, seed=1)
        self._due: list[tuple[float, str]] = []
        self._changed = Condition(Lock())
        self._over = False
        self._senders = [Thread(target=self._send, daemon=True) for _ in range(SENDERS)]
        for sender in self._senders:
            sender.start()
        self.streams.follow("/api/v1/me/stream", self._answer, tokens[-1])

    def open_tables(self, count: int) -> None:
        """Open tables, each with its spectators, until there are `count`."""
        begun = time.perf_counter()
        for number in range(len(self.tables), count):
            has_bot = number % BOTS == BOTS - 1
            people = len(self.ids) - 1
            sides = [number % people, people if has_bot else (number + 1) % people]
            first, second = (KeptConnection(self.port, self.tokens[side]) for side in sides)
            wish = {"variant": "katruji", "side": "first", "opponent": self.ids[sides[1]]}
            id = str(first.post("/api/v1/games", wish)["id"])
            second.post(f"/api/v1/games/{id}/commands", {"type": "accept"})
            for client in (first, second):
                client.connection.close()
            tokens = [self.tokens[side] for side in sides]
            table = self.tables[id] = Table(id, tokens, has_bot, self._actions)
            for _ in range(WATCHERS):
                self.streams.follow(
                    f"/api/v1/games/{id}/stream?view=board",
                    lambda data, now, table=table: self._note(table, data, now),  # type: ignore[misc]
                )
            self._plan(begun + THINK * (1 + number / count), id)

    def _plan(self, at: float, id: str) -> None:
        with self._changed:
            heapq.heappush(self._due, (at, id))
            self._changed.notify()

    def _next(self) -> tuple[float, str] | None:
        """The next action once it is due; None when all is over."""
        with self._changed:
            while not self._over:
                now = time.perf_counter()
                if self._due and self._due[0][0] <= now:
                    return heapq.heappop(self._due)
                self._changed.wait(min(LOOK, self._due[0][0] - now) if self._due else LOOK)
        return None

    def _send(self) -> None:
        connection = KeptConnection(self.port)
        while (found := self._next()) is not None:
            due, id = found
            table = self.tables[id]
            with table.acting:
                is_accepted = self._act(connection, table, due)
                # At a table with a bot, the bot's stream says when it has to answer.
                if is_accepted and not (table.has_bot and table.ply % 2):
                    self._plan(due + THINK, id)
        connection.connection.close()

    def _act(self, connection: KeptConnection, table: Table, due: float) -> bool:
        """Play the next action at a table; returns whether it was accepted."""
        begun = time.perf_counter()
        self.seen.late = max(self.seen.late, begun - due)
        side = table.ply % 2
        connection.headers["Authorization"] = f"Bearer {table.tokens[side]}"
        action = {"action": table.actions[table.ply]}
        try:
            made = connection.post(f"/api/v1/games/{table.id}/actions", action)
        except (OSError, RuntimeError) as error:
            self.seen.failures.append(str(error))
            connection.connection.close()
            return False
        version = made["version"]
        assert isinstance(version, int)
        table.sent[version] = begun
        self.seen.actions.append(time.perf_counter() - begun)
        table.ply += 1
        return True

    def _note(self, table: Table, data: bytes, now: float) -> None:
        for version in TOLD.findall(data):
            if (begun := table.sent.get(int(version))) is not None:
                self.seen.deliveries.append(now - begun)

    def _answer(self, data: bytes, now: float) -> None:
        for game in TURN.findall(data):
            self._plan(now, game.decode())

    def close(self) -> None:
        """Stop all players and spectators."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        for sender in self._senders:
            sender.join()
        self.streams.close()


def send_imports(url: str, token: str, file: Path, seen: Seen, over: Event) -> None:
    """Send a file of a thousand new games every IMPORTED seconds, until `over` is set."""
    for salt in itertools.count():
        due = time.monotonic() + IMPORTED
        data = archive(file, salt).read_bytes()
        kind = "application/x-chess-pgn"
        begun = ask(url, "/imports?wait=0", token, data, kind)["id"]
        state: dict[str, Any] = {"state": "queued"}
        while state["state"] in ("queued", "running"):
            if over.wait(0.5):
                return
            state = ask(url, f"/imports/{begun}", token)
        seen.imported += GAMES
        if over.wait(due - time.monotonic()):
            return


def watch_lists(url: str, token: str, seen: Seen, over: Event) -> None:
    """Begin a game every second, and see when it is in the list, until `over` is set."""
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    while not over.wait(1):
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        made = ask(url, "/games", token, wish)["id"]
        begun = time.monotonic()
        while not over.wait(0.05):
            if made in {one["id"] for one in ask(url, "/games?limit=100")["items"]}:
                seen.listed.append(time.monotonic() - begun)
                break


def hold_rounds(url: str, token: str, players: Sequence[str], seen: Seen, over: Event) -> None:
    """Hold tournaments of one round, with all games resigned, until `over` is set."""
    while not over.is_set():
        order = ["match-points", "buchholz"]
        wish = {"name": f"Cup {time.time_ns()}", "variant": "kerd", "kind": "swiss", "rounds": 1}
        cup = ask(url, "/tournaments", token, {**wish, "order": order})["id"]
        for place, player in enumerate(players):
            entry = {"type": "enter", "player": player, "rating": 2000 - place}
            ask(url, f"/tournaments/{cup}/commands", token, entry)
        ask(url, f"/tournaments/{cup}/commands", token, {"type": "pair"})
        ruled = False
        while not over.wait(0.2):
            made = ask(url, f"/tournaments/{cup}/rounds/1")
            if made["status"] == "finished":
                seen.rounds += 1
                break
            if made["status"] != "pairing" and not ruled:
                ruled = True
                for pairing in made["pairings"]:
                    decided = {"type": "rule", "round": 1, "board": pairing["board"]}
                    path = f"/tournaments/{cup}/commands"
                    ask(url, path, token, {**decided, "result": "1-0"})


def ask(
    url: str, path: str, token: str = "", body: object = None, kind: str = "application/json"
) -> dict[str, Any]:
    """The JSON of an answer; raises what `urlopen` raises."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {token}"} if token else {})
    with urlopen(Request(f"{url}/api/v1{path}", data, headers), timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
        return found
