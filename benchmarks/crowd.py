"""Many clients of a service at once, each on its own connection, all in one thread.

A hundred threads of Python would wait for each other longer than for the service.
"""

from __future__ import annotations

import selectors
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from benchmarks.server import GunicornServer, Redis

PATIENCE: Final = 60.0
"""Seconds within which an answer must come."""

FEWEST: Final = 2
"""Answers of which percentiles can be told."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What requests cost: their rate, how long they took, the processor time of the service."""

    rate: float
    """Requests a second."""
    p50: float
    """Milliseconds, like `p99`."""
    p99: float
    web: float
    """Milliseconds of the web's processor time for a request."""
    store: float
    """Milliseconds of Redis' processor time for a request."""

    @property
    def cpu(self) -> float:
        """Milliseconds of processor time for a request."""
        return self.web + self.store


class Client:
    """A connection that is kept open, with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self._received = b""
        self._begun = 0.0

    def send(self, request: bytes) -> None:
        """Send a request."""
        self._begun = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> tuple[float, bytes] | None:
        """Seconds and body of an answer once it has come; RuntimeError unless it is a success."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError("the server closed the connection")
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found or len(body) < read_length(head):
            return None
        if head.split(b" ", 2)[1][:1] != b"2":
            raise RuntimeError(self._received[:600])
        self._received = b""
        return time.perf_counter() - self._begun, body


@contextmanager
def connect(port: int, count: int) -> Iterator[Sequence[Client]]:
    """`count` clients of a server on this machine, as long as the context lasts."""
    clients = [Client(port) for _ in range(count)]
    try:
        yield clients
    finally:
        for client in clients:
            client.socket.close()


def read_length(head: bytes) -> int:
    """The length of the body that a head states."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise RuntimeError(head)


def build(
    token: str, method: str, path: str, body: str = "", accept: str = "application/json"
) -> bytes:
    """A request in bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Accept: {accept}\r\n\r\n{body}".encode()


def ask(
    clients: Sequence[Client],
    requests: Sequence[Iterator[bytes]],
    seconds: float = float("inf"),
    hear: Callable[[bytes], object] = lambda body: None,
) -> list[float]:
    """Have each client send its requests one after the other, until they or the time run out.

    However late they come, `FEWEST` answers are waited for. Returns the seconds that each took;
    `hear` is called with the bodies.
    """
    taken: list[float] = []
    until = time.perf_counter() + seconds
    with selectors.DefaultSelector() as selector:

        def go_on(client: Client, own: Iterator[bytes]) -> bool:
            goes_on = time.perf_counter() < until or len(taken) < FEWEST
            request = next(own, None) if goes_on else None
            if request is not None:
                client.send(request)
            return request is not None

        for client, own in zip(clients, requests, strict=True):
            if go_on(client, own):
                selector.register(client.socket, selectors.EVENT_READ, (client, own))
        while selector.get_map():
            ready = selector.select(PATIENCE)
            if not ready:
                raise TimeoutError(f"no answer in {PATIENCE:g} seconds")
            for key, _ in ready:
                client, own = key.data
                answer = client.receive()
                if answer is None:
                    continue
                taken.append(answer[0])
                hear(answer[1])
                if not go_on(client, own):
                    selector.unregister(client.socket)
    return taken


def measure(
    web: GunicornServer,
    store: Redis,
    clients: Sequence[Client],
    requests: Sequence[Iterator[bytes]],
    seconds: float,
) -> Cost:
    """What requests cost when sent by `ask`."""
    processes = web.list_processes(), [store.process.pid]
    before, begun = list(map(sum_run_times, processes)), time.perf_counter()
    taken = ask(clients, requests, seconds)
    elapsed = time.perf_counter() - begun
    spent = [sum_run_times(own) - then for own, then in zip(processes, before, strict=True)]
    percentiles = statistics.quantiles(taken, n=100)
    return Cost(
        rate=len(taken) / elapsed,
        p50=1000 * percentiles[49],
        p99=1000 * percentiles[98],
        web=1000 * spent[0] / len(taken),
        store=1000 * spent[1] / len(taken),
    )


def combine(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(getattr(one, name) for one in costs) for name in FIGURES))


FIGURES: Final = tuple(one.name for one in fields(Cost))


def sum_run_times(pids: Sequence[int]) -> float:
    """The processor time of processes so far, exact to the nanosecond; only on Linux."""
    files = [file for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9
