"""Tallying finished games from the feed, against the bare appends that it cannot do without.

Leagues are made and their games ended a thousand at a time. Then the worker's function goes
through what is new in the feed, like the jobs that the projector requests: it loads each game,
replays it, and appends its score, and its result to its tournament. Everything runs in one process,
so that its memory can be seen to stay the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.server import Redis
from benchmarks.turns import Measurement, progress
from service.composition.service import Service, compose, now
from service.game import events as game_events
from service.game.permissions import PAIRER
from service.game.repository import KIND as GAME
from service.game.repository import stream_of as game_stream
from service.ids import new_id
from service.jobs.job_kinds import SCORING
from service.jobs.store import Jobs
from service.log.interface import FEED_START
from service.log.values import Append, Event, Pointer
from service.reactions.ended_games import MAX_GAMES
from service.settings import read_settings
from service.tournament import events
from service.tournament.repository import stream_of
from service.tournament.scheme import STANDARD, scheme_to_json
from service.tournament.setup import TOURNAMENT_TAG
from workers.scoring import score
from workers.task import Task

GAMES = 100_000
LEAGUE = 100
CHUNK = 1000
BARE = 2000
VARIANT = "katruji"
ACTIONS = (("c1d1", "Sd1"), ("b8a8", "Sa8"))
MOST_GROWTH = 1.15


def figures() -> list[Measurement]:
    """The rate against bare appends, and the memory of the last tenth against the second."""
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        reached = dict.fromkeys(range(service.log.partitions), FEED_START)
        spent = 0.0
        held: list[int] = []
        for _ in progress(range(GAMES // CHUNK), "tallying"):
            for _ in range(CHUNK // LEAGUE):
                league(service)
            begun = time.perf_counter()
            tallied = sum(tally(service, games) for games in new_games(service, reached))
            spent += time.perf_counter() - begun
            if tallied != CHUNK:
                raise RuntimeError(f"{tallied} of {CHUNK} games were tallied")
            held.append(resident())
        bare = bare_rate(store)
    tenth = len(held) // 10
    early, late = max(held[tenth : 2 * tenth]), max(held[-tenth:])
    rate = GAMES / spent
    return [
        Measurement(
            f"tally {GAMES:,} finished games from the feed, against their two bare appends",
            f"movelog {rate:.0f} games/s, loaded, replayed, scored and counted",
            f"XADD twice {bare:.0f} games/s",
            rate / bare,
        ),
        Measurement(
            f"memory of the process that tallies {GAMES:,} games",
            f"in the last tenth {late / 2**20:.0f} MiB",
            f"in the second tenth {early / 2**20:.0f} MiB",
            late / early,
            bar=MOST_GROWTH,
            most=True,
        ),
    ]


def league(service: Service) -> None:
    """A league with LEAGUE games, all ended and none counted."""
    id, (first, second) = new_id(), (new_id(), new_id())
    games = [new_id() for _ in range(LEAGUE)]
    created = events.TournamentCreated(
        name=id,
        variant=VARIANT,
        kind="free",
        scoring=scheme_to_json(STANDARD),
        order=("match-points",),
        edition="2026-03-01",
    )
    boards: list[dict[str, Any]] = [
        {"board": number, "first": first, "second": second, "game": game}
        for number, game in enumerate(games, 1)
    ]
    entered = [events.PlayerEntered(player=player) for player in (first, second)]
    paired = [events.RoundPaired(round=1, boards=tuple(boards)), events.RoundReady(round=1)]
    service.log.append(request(stream_of(id), [created, *entered, *paired]))
    service.log.append_each(
        [
            request(game_stream(game), ended(id, number, first, second))
            for number, game in enumerate(games)
        ]
    )


def ended(tournament: str, number: int, first: str, second: str) -> list[Event]:
    """A short, ended game of the tournament."""
    tags = {"Event": tournament, "Round": "1", TOURNAMENT_TAG: tournament}
    created = game_events.GameCreated(
        variant=VARIANT, rules="1", mode="tournament", first=first, second=second, tags=tags
    )
    played = [
        game_events.ActionPlayed(ply=ply, action=action, san=san)
        for ply, (action, san) in enumerate(ACTIONS, 1)
    ]
    result = ("1-0", "0-1")[number % 2]
    over = game_events.GameEnded(result=result, termination="resignation")
    return [created, game_events.GameBegun(), *played, over]


def request(stream: Any, made: list[Event]) -> Append:
    """These events as a new stream."""
    return Append(stream=stream, expected=0, events=made, at=now(), by=PAIRER)


def new_games(service: Service, reached: dict[int, str]) -> Iterator[list[str]]:
    """The games that the feeds name beyond `reached`, as many as one job gets."""
    games: dict[str, None] = {}
    for partition, pointer in iter_feeds(service, reached):
        reached[partition] = pointer.position
        if pointer.stream.kind == GAME:
            games[pointer.stream.id] = None
    ids = list(games)
    for start in range(0, len(ids), MAX_GAMES):
        yield ids[start : start + MAX_GAMES]


def iter_feeds(service: Service, reached: dict[int, str]) -> Iterator[tuple[int, Pointer]]:
    """The entries of the feeds beyond `reached`."""
    while came := service.log.wait(reached, 0):
        yield from came


def tally(service: Service, games: list[str]) -> int:
    """Do one scoring job, and return how many games it tallied."""
    jobs = Jobs(service.store, now)
    id = new_id()
    jobs.create(id, SCORING, {"games": games})
    job = jobs.claim(id, "bench")
    if job is None:
        raise RuntimeError("a job just made cannot be claimed")
    outcome = score(Task(service, jobs, job))
    jobs.finish(job, outcome)
    return int(outcome["tallied"])


def bare_rate(store: Redis) -> float:
    """Games a second when only their two events are appended."""
    begun = time.perf_counter()
    for number in range(BARE):
        store.client.xadd(f"bare:{number}", {"d": b"x" * 120})
        store.client.xadd("bare:tournament", {"d": b"x" * 160})
    return BARE / (time.perf_counter() - begun)


def resident() -> int:
    """Bytes that this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
