"""Scoring ended games by the service's own processes, as they end and from a backlog.

A projector and a scorer run as `movelog serve` starts them, on a Redis that syncs every write.
Games of all variants are played and ended through the log, faster than they can be scored; what is
measured is the time from the first end until the last game has its score. The number of jobs shows
that one job is made for many games.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.importing import program
from benchmarks.server import Redis
from benchmarks.turns import Measurement
from engine.random_play import random_play
from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.composition.service import Service, compose, now
from service.game import events
from service.game.events import GameScored
from service.game.repository import stream_of
from service.ids import new_id
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import SCORING
from service.jobs.redis_layout import BY_STATE
from service.log.values import Append, Event
from service.settings import read_settings

GAMES = 1000
PLIES = 40
CHUNK = 100
LEAST = 100.0
"""Ended games a second that two cores have to score."""
PATIENCE = 600.0


def figures() -> Sequence[Measurement]:
    """Games scored a second by one scorer, with the projector beside it."""
    with Redis() as store:
        own = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(own))
        ended = played_games()
        with (
            program(store, "service.cli", "projector") as projector,
            program(store, "workers", "scoring") as scorer,
        ):
            processes = (store.process.pid, projector, scorer)
            wait_for_scores(service, end(service, ended, len(VARIANTS)))
            before = sum(map(processor_time, processes))
            begun = time.perf_counter()
            ids = end(service, ended, GAMES)
            made = time.perf_counter() - begun
            wait_for_scores(service, ids)
            took = time.perf_counter() - begun
            spent = sum(map(processor_time, processes)) - before
        jobs = sum(job.kind == SCORING for job in finished_jobs(service))
        if any(scores(service, id) != 1 for id in ids):
            raise RuntimeError("a game has another number of scores than one")
    return [
        Measurement(
            f"score {GAMES:,} ended games of {PLIES} plies, of all variants in turn",
            f"movelog {GAMES / took:.0f} games/s from the first end to the last score, {jobs} jobs",
            f"written into the log at {GAMES / made:.0f} games/s; asked for are {LEAST:.0f}",
            GAMES / took / LEAST,
            bar=1.0,
        ),
        Measurement(
            "processor time of it, whatever else the machine has to do",
            f"movelog {1000 * spent / GAMES:.1f} ms a game, Redis, projector and scorer together",
            f"two cores have {2000 / LEAST:.0f} ms a game at {LEAST:.0f} games/s",
            LEAST * spent / GAMES / 2,
            bar=1.0,
            most=True,
        ),
    ]


def processor_time(pid: int) -> float:
    """The seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def played_games() -> Iterator[tuple[str, list[Event]]]:
    """Games of each variant in turn, as events; each variant repeats one game."""
    return itertools.cycle([(name, ended_game(name)) for name in sorted(VARIANTS)])


def ended_game(variant: str) -> list[Event]:
    """A random game that a player has resigned."""
    texts, position = find_dialect(variant), VARIANTS[variant].start()
    made: list[Event] = [
        events.GameCreated(
            variant=variant,
            rules=VARIANTS[variant].rules,
            mode="scribe",
            first=new_id(),
            second=new_id(),
            tags={},
        ),
        events.GameBegun(),
    ]
    before = position.copy()
    for ply, (action, _) in enumerate(random_play(position, Random(1), PLIES), 1):
        token, san = texts.coordinate(action), texts.san(before, action)
        made.append(events.ActionPlayed(ply=ply, action=token, san=san))
        before.play(action)
    return [*made, events.GameEnded(result="1-0", termination="resignation")]


def end(service: Service, played: Iterator[tuple[str, list[Event]]], games: int) -> list[str]:
    """Write `games` ended games into the log; returns their ids."""
    ids = [new_id() for _ in range(games)]
    for start in range(0, games, CHUNK):
        service.log.append_each(
            [
                Append(stream=stream_of(id), expected=0, events=next(played)[1], at=now(), by="")
                for id in ids[start : start + CHUNK]
            ]
        )
    return ids


def wait_for_scores(service: Service, ids: Sequence[str]) -> None:
    """Wait until every one of these games has its score."""
    left, deadline = set(ids), time.monotonic() + PATIENCE
    while left:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{len(left)} games are not scored")
        time.sleep(0.1)
        left -= {id for id in list(left)[:CHUNK] if scores(service, id)}


def scores(service: Service, id: str) -> int:
    """How many scores a game has."""
    return sum(isinstance(one.event, GameScored) for one in service.log.read(stream_of(id)))


def finished_jobs(service: Service) -> Iterator[Job]:
    """The jobs that are done."""
    for id in service.store.zscan_iter(f"{BY_STATE}{JobState.DONE}"):
        yield service.jobs.get(id[0].decode())
