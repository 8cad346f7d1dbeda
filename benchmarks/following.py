"""The feed of all games read by a mirror that catches up, against a direct read of the log.

Both read every event of the same games: the mirror in pages over HTTP, the other stream by stream
as the service's own parts do. The figures are processor time, of the web process for the one and
of this process for the other; Redis's is left out of both.
"""

from __future__ import annotations

import http.client
import itertools
import json
import time

from benchmarks.server import GunicornServer, Redis
from benchmarks.servers import iter_games
from benchmarks.turns import Measurement, measure_in_turn, progress
from service.composition.service import CODEC
from service.log.interface import EventLog
from service.log.redis import RedisEventLog
from service.log.values import Append

GAMES = 1000
PLAYED = 30
"""The most events of each game: the archive has many games, and the feed has all of them."""
PAGE = 5000
BAR = 20_000
"""Events a second that a mirror has to be able to read."""


def fill(log: RedisEventLog) -> int:
    """Append the events of many games in turn, as in concurrent play; return their number."""
    games: list[list[Append]] = [game[:PLAYED] for game in iter_games(GAMES)]
    count = sum(map(len, games))
    for _ in progress(range(PLAYED), "play"):
        requests = [game.pop(0) for game in games if game]
        for made in log.append_each(requests):
            if isinstance(made, Exception):
                raise made
    return count


def read_feed(web: GunicornServer, query: str = "") -> tuple[int, float]:
    """Read the feed page by page; the number of events and the web process's processor time."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port)
    before, count, after, caught_up = web.cpu_seconds(), 0, "start", False
    while not caught_up:
        connection.request("GET", f"/api/v1/events?limit={PAGE}&after={after}{query}")
        text = connection.getresponse().read()
        last = json.loads(text.splitlines()[-1])
        count += text.count(b"\n") - 1
        after, caught_up = last["position"], last["caught_up"]
    connection.close()
    return count, web.cpu_seconds() - before


def read_log(log: EventLog) -> tuple[int, float]:
    """Read the log, some streams at a time; the number of events and this process's time."""
    before, count = time.process_time(), 0
    streams = iter(log.streams("game"))
    while part := list(itertools.islice(streams, 50)):
        count += sum(map(len, log.read_each(part)))
    return count, time.process_time() - before


def figures(rounds: int) -> list[Measurement]:
    """Events a second of processor time, and what it costs to look for few among many."""
    with Redis() as store, GunicornServer("service.operations.wsgi:app", store) as web:
        log = RedisEventLog(store.client, CODEC)
        events = fill(log)

        def rate(found: tuple[int, float]) -> float:
            count, seconds = found
            if count != events:
                raise RuntimeError(f"{count} events instead of {events}")
            return count / seconds

        feed, direct, ratio = measure_in_turn(
            "follow all games",
            lambda: rate(read_feed(web)),
            lambda: rate(read_log(log)),
            rounds,
        )
        few = [read_feed(web, "&variant=katruji&types=game-reopened") for _ in range(rounds)]
    looked_at = events / min(seconds for _, seconds in few)
    return [
        Measurement(
            f"all events of {GAMES} games by /events, against reading their streams",
            f"feed {feed:.0f} events per CPU second",
            f"log {direct:.0f}",
            ratio,
        ),
        Measurement(
            "what a mirror reads per CPU second, against the bar",
            f"feed {feed:.0f} events",
            f"bar {BAR}",
            feed / BAR,
            bar=1,
        ),
        Measurement(
            "events read for a filter that matches none, against sending all of them",
            f"looked at {looked_at:.0f} per CPU second",
            f"told {feed:.0f}",
            looked_at / feed,
        ),
    ]
