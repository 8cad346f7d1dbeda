"""What Redis keeps while games are played and archived, thousand after thousand.

`python -m benchmarks.archive_growth [GAMES]` prints the memory at each thousand. The first thousand
is played by the service, each a random game of at most 80 plies; the games of further thousands are
copies of these, appended event by event with other ids, times and receipts. No segment has a game
twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final
from uuid import uuid4

from benchmarks.server import Redis
from benchmarks.turns import Measurement, progress
from engine.registry import find_variant
from engine.side import Side
from notation.registry import find_dialect
from service.archive.feed_readers import FeedReader
from service.archive.feed_trimmer import FeedTrimmer, Trimmed
from service.archive.frozen_stream import FrozenStream, shorten_receipts
from service.archive.segment import pack_segment
from service.composition.service import Service, compose, now
from service.game.commands import CreateGame, PlayAction, Resign, ScoreGame
from service.game.permissions import SCORER
from service.game.repository import stream_of
from service.ids import new_id
from service.log.chain import chain_events
from service.log.values import GENESIS, Append, Receipt, Recorded
from service.operations.archiving import archive_games
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.settings import read_settings

GAMES: Final = 4000
THOUSAND: Final = 1000
PLIES: Final = 80
VARIANT: Final = "katruji"
SCRIBE: Final = Actor("bench", frozenset({PLAY}))
MOST_GROWTH: Final = 1.05
MOST_BYTES: Final = 1536


@dataclass(frozen=True, slots=True)
class State:
    """After `games` games: bytes of Redis before and after they were archived.

    `events`, `receipts` and `entries` are bytes in the archive for each of the last thousand games:
    its events, its receipts and its entries in the feed.
    """

    games: int
    hot: int
    cold: int
    events: float
    receipts: float
    entries: float

    def __str__(self) -> str:
        memory = f"{self.hot / 2**20:6.1f} MiB of Redis, archived {self.cold / 2**20:6.2f} MiB"
        sizes = f"{self.events:.0f} B events, {self.receipts:.0f} B receipts"
        return f"{self.games:6} games: {memory}; a game cold {sizes}, {self.entries:.0f} B feed"


def figures(games: int = GAMES) -> list[Measurement]:
    """Memory from the second thousand on, and the bytes of a game in the archive."""
    states = []
    for state in measure(games):
        print(state, file=sys.stderr, flush=True)
        states.append(state)
    later = [state.cold for state in states[1:]] or [states[0].cold]
    worst = states[-1]
    return [
        Measurement(
            "Redis memory while games are played and archived",
            f"{max(later) / 2**20:.2f} MiB at most after {states[-1].games} games",
            f"{later[0] / 2**20:.2f} MiB after the second thousand",
            max(later) / later[0],
            MOST_GROWTH,
            most=True,
        ),
        *(
            Measurement(
                f"Bytes of a game's {part} in the archive",
                f"{size:.0f} B",
                f"{MOST_BYTES} B allowed",
                size / MOST_BYTES,
                1,
                most=True,
            )
            for part, size in (("events", worst.events), ("receipts", worst.receipts))
        ),
    ]


def measure(games: int) -> Iterator[State]:
    """Play and archive games, and yield the state after each thousand."""
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": str(Path(store.folder))}
        service = compose(read_settings(settings))
        random = Random(1)
        templates: list[Sequence[Recorded]] = []
        for count in range(THOUSAND, games + 1, THOUSAND):
            ids = [new_id() for _ in range(THOUSAND)]
            if templates:
                for id, template in zip(progress(ids, "appending"), templates, strict=True):
                    append_again(service, id, template)
            else:
                for id in progress(ids, "playing"):
                    play(service, id, random)
                templates = [service.log.read(stream_of(id)) for id in ids]
            hot = store.memory
            events, receipts = measure_parts([service.log.tier.copy(stream_of(id)) for id in ids])
            trimmed = archive(service)
            yield State(
                count, hot, store.memory, events, receipts, trimmed.bytes / max(1, THOUSAND)
            )


def play(service: Service, id: str, random: Random) -> None:
    """Play a random game as a scribe, each request with a receipt, and score it."""
    games = service.games
    command = CreateGame(variant=VARIANT, mode="scribe", first=new_id(), second=new_id())
    games.create(id, command, SCRIBE, make_receipt())
    texts, position = find_dialect(VARIANT), find_variant(VARIANT).start()
    for _ in range(PLIES):
        if position.outcome() is not None:
            break
        action = random.choice(position.legal())
        token = texts.coordinate(action)
        games.execute(id, PlayAction(token=token), SCRIBE, receipt=make_receipt())
        position.play(action)
    if games.load(id).ending is None:
        games.execute(id, Resign(side=Side.FIRST), SCRIBE, receipt=make_receipt())
    state = games.load(id)
    assert state.ending is not None
    score = ScoreGame(
        version=state.version,
        result=state.ending.result,
        termination=state.ending.termination,
        points=(0, 0),
    )
    games.execute(id, score, Actor(SCORER))


def append_again(service: Service, id: str, template: Sequence[Recorded]) -> None:
    """Append the events of a game to another one, in two exchanges."""
    stream, head, at = stream_of(id), GENESIS, now()
    requests = []
    for entry in template:
        at += os.urandom(1)[0] * 40
        (chained,) = chain_events(stream, entry.version - 1, [entry.event], at, entry.by, head)
        requests.append(
            Append(
                stream,
                entry.version - 1,
                [entry.event],
                at,
                entry.by,
                head,
                make_receipt(),
                audience=(id[:8], id[8:]),
                chained=[chained],
            )
        )
        head = chained.hash
    # A stream that is not in Redis is looked for in the archive, for each event if need be.
    service.log.append(requests[0])
    for made in service.log.append_each(requests[1:]):
        if not isinstance(made, int):
            raise made


def make_receipt() -> Receipt:
    """A receipt like a request's, with digests that cannot be compressed."""
    return Receipt(os.urandom(32).hex(), os.urandom(32).hex(), 201, 0, 0)


def archive(service: Service) -> Trimmed:
    """Archive every game, and trim the feeds as far as they have been read."""
    archive_games(service, now() + 2**40, lambda done, total: None)
    ends = service.log.feed_positions()
    service.feed_readers.note(FeedReader("bench", now(), "here", ends))
    trimmer = FeedTrimmer(service.log.tier, service.log.archive, now)
    return sum(trimmer.run(service.feed_readers.find_read(len(ends)), now() + 1), Trimmed())


def measure_parts(streams: Sequence[FrozenStream]) -> tuple[float, float]:
    """The bytes of events and of receipts of a stream in a segment of 500."""
    some = [
        replace(frozen, receipts=shorten_receipts(frozen.receipts))
        for frozen in streams[: THOUSAND // 2]
    ]
    bare = [replace(frozen, receipts={}) for frozen in some]
    log = uuid4().hex
    sizes = (len(pack_segment(each, log, now()).content) for each in (bare, some))
    events, whole = (size / len(some) for size in sizes)
    return events, whole - events


if __name__ == "__main__":
    for measurement in figures(*map(int, sys.argv[1:2])):
        print(measurement)
