"""Games are archived while others create, play, end, reopen and request them again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Event, Lock
from time import sleep

import pytest

from engine.described_error import DescribedError
from engine.side import Side
from notation.registry import find_dialect
from service.archive.feed_readers import FeedReader
from service.archive.feed_trimmer import FeedTrimmer
from service.composition.service import Service, compose, now
from service.errors import WrongExpectedVersion
from service.game.commands import CreateGame, PlayAction, ReopenGame, Resign, ScoreGame
from service.game.permissions import SCORER
from service.game.repository import stream_of
from service.ids import keyed_digest, new_id
from service.log.errors import AlreadyDone
from service.log.values import Receipt, Recorded
from service.operations.archiving import archive_games
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.verification.audit import audit_game
from service.verification.feed_audit import audit_feed
from tests.service.log.support import at_once
from tests.service.operations.test_backup import silent

GAMES = 24
ROUNDS, MOST_ROUNDS = 12, 200
"""The least rounds of archiving, and the most until more games have been moved than there are."""
SOON = 1000


class Club:
    """What writers were told was done, by game and kind of event."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.scribe = Actor(service.players.register("Scribe", None).id, frozenset({PLAY}))
        self.seats = [service.players.unclaimed(n, self.scribe.player) for n in ("Ada", "Zoë")]
        self.ids = [new_id() for _ in range(GAMES)]
        self.done: Counter[tuple[str, str]] = Counter()
        self.lock = Lock()

    def receipt(self, *key: object) -> Receipt:
        return Receipt(keyed_digest(self.service.secret, *map(str, key)), "body", 201, 0, 0)

    def note(self, id: str, recorded: Sequence[Recorded]) -> None:
        """Count the acknowledged events."""
        with self.lock:
            self.done.update((id, entry.event.stored_name) for entry in recorded)


def create(club: Club, choose: random.Random) -> None:
    """Create a game, by a request that other threads send as well."""
    id = choose.choice(club.ids)
    command = CreateGame(
        variant="katruji", mode="scribe", first=club.seats[0], second=club.seats[1]
    )
    with suppress(AlreadyDone, WrongExpectedVersion):
        done = club.service.games.create(id, command, club.scribe, club.receipt(id))
        club.note(id, done.recorded)


def act(club: Club, choose: random.Random) -> None:
    """Play an action, and send the same request again."""
    id = choose.choice(club.ids)
    games = club.service.games
    state = games.find(id)
    legal = [] if state is None or state.ending is not None else state.position.legal()
    if not legal:
        return
    token = find_dialect("katruji").coordinate(choose.choice(legal))
    receipt = club.receipt(id, choose.random())
    made = 0
    for _ in range(2):
        with suppress(DescribedError):
            done = games.execute(id, PlayAction(token=token), club.scribe, receipt=receipt)
            club.note(id, done.recorded)
            made += 1
    assert made <= 1
    if made:
        assert club.service.log.receipt(stream_of(id), receipt.key) is not None


def end(club: Club, choose: random.Random) -> None:
    """End a game and score it, so that it can be archived."""
    id = choose.choice(club.ids)
    games = club.service.games
    with suppress(DescribedError):
        ended = games.execute(id, Resign(side=Side.FIRST), club.scribe)
        club.note(id, ended.recorded)
        ending = ended.state.ending
        assert ending is not None
        command = ScoreGame(
            version=ended.state.version,
            result=ending.result,
            termination=ending.termination,
            points=ended.state.position.points(),
        )
        club.note(id, games.execute(id, command, Actor(SCORER)).recorded)


def reopen(club: Club, choose: random.Random) -> None:
    """Reopen an ended game, which brings it back from the archive."""
    id = choose.choice(club.ids)
    with suppress(DescribedError):
        done = club.service.games.execute(id, ReopenGame(reason="a mistake"), club.scribe)
        club.note(id, done.recorded)


def archive(club: Club, moved: list[int]) -> None:
    """Archive ended games and trim the feeds, again and again."""
    service = compose(club.service.settings)
    log = service.log
    while len(moved) < ROUNDS or (sum(moved) <= GAMES and len(moved) < MOST_ROUNDS):
        moved.append(archive_games(service, now() + SOON, silent).streams)
        ends = log.feed_positions()
        service.feed_readers.note(FeedReader("test", now(), "here", ends))
        list(FeedTrimmer(log.tier, log.archive, now, least=1).run(ends, now() + SOON))


@pytest.mark.slow
def test_archiving_races_creates_actions_and_reopening(service: Service) -> None:
    """Every acknowledged event is in the log exactly once."""
    club, over, moved = Club(service), Event(), list[int]()
    works = (create, create, act, act, end, end, end, reopen)

    def write(seed: int) -> None:
        choose = random.Random(seed)
        mine = Club.__new__(Club)
        mine.__dict__ |= club.__dict__ | {"service": compose(service.settings)}
        while not over.is_set():
            choose.choice(works)(mine, choose)
            # Leave games untouched for a moment, so that some are archived.
            sleep(choose.random() / 50)

    def archive_all() -> None:
        try:
            archive(club, moved)
        finally:
            over.set()

    tasks: list[Callable[[], None]] = [partial(write, seed) for seed in range(4)]
    at_once([*tasks, archive_all])
    assert sum(moved) > GAMES
    found: Counter[tuple[str, str]] = Counter()
    fresh = compose(service.settings)
    for id in club.ids:
        recorded = fresh.log.read(stream_of(id))
        assert [entry.version for entry in recorded] == list(range(1, len(recorded) + 1))
        if recorded:
            assert audit_game(fresh.log, stream_of(id)).fault is None
        for entry in recorded:
            found[id, entry.event.stored_name] += 1
    assert found == club.done
    for partition in range(fresh.log.partitions):
        assert audit_feed(fresh.log, partition).faults == []
