"""What a process does with its share of the partitions, and when it has lost it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
import redis
from sqlalchemy import Connection

from service.composition.service import Service
from service.projection.checkpoints import Checkpoints
from service.projection.database.time_limits import limit_silence
from service.projection.errors import DatabaseAway
from service.projection.games import held, writer
from service.projection.games.projection import PreparedGames
from service.projection.games.rows import GameRows
from service.projection.games.seats import insert_seats
from service.projection.games.writer import GameWriter
from service.projection.leases import share as share_module
from service.projection.leases.share import BEAT, LIVES, LOOK, STUCK, LeasedShare
from service.projection.leases.table import LeaseTable
from service.projection.projector import Projector
from service.projection.reactions import Reactions
from service.projection.strict_imports import StrictImports
from service.projection.updates import StreamUpdate
from tests.service.projection.strict import StrictImport
from tests.service.projection.support import (
    MemoryReactionProgress,
    create,
    dump,
    listed,
    nobody,
    project,
)
from tests.waiting import PATIENCE, eventually


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def table(service: Service) -> LeaseTable:
    return LeaseTable(service.store, service.log.partitions)


@pytest.fixture
def shares(table: LeaseTable) -> Iterator[tuple[LeasedShare, LeasedShare]]:
    made = LeasedShare(table), LeasedShare(table)
    yield made
    for share in made:
        share.leave()


def projector_on(service: Service, share: LeasedShare) -> Projector:
    reactions = Reactions(MemoryReactionProgress(), nobody)
    return Projector(service.games, service.database, reactions=reactions, share=share)


def settle(*shares: LeasedShare) -> None:
    """Wait until all partitions are leased and each process has some."""
    eventually(
        lambda: (
            sum(len(one.partitions()) for one in shares) == 64
            and all(one.partitions() for one in shares)
        )
    )


@pytest.mark.slow
def test_two_projectors_write_what_one_writes_each_its_own(
    service: Service, shares: tuple[LeasedShare, LeasedShare]
) -> None:
    settle(*shares)
    ids = [create(service.games, f"g{number}").id for number in range(40)]
    projectors = [projector_on(service, share) for share in shares]
    done = [project(projector) for projector in projectors]
    assert sum(done) == 40
    assert all(done)
    assert sorted(listed(service.database)) == sorted(ids)
    assert Checkpoints(service.database).count_behind(service.log) == 0
    # What the other one has written makes nobody begin again.
    create(service.games, "another")
    assert sum(projector.step(0.01) for projector in projectors) == 1


@pytest.mark.slow
def test_one_takes_over_what_the_other_gives_back(
    service: Service, shares: tuple[LeasedShare, LeasedShare]
) -> None:
    settle(*shares)
    first, second = (projector_on(service, share) for share in shares)
    project(first)
    for number in range(40):
        create(service.games, f"g{number}")
    assert 0 < project(second) < 40
    shares[0].leave()
    eventually(lambda: project(second) + len(dump(service.database)["game"]) >= 40)
    assert len(listed(service.database)) == 40


def test_a_process_that_stood_still_writes_nothing_and_says_so(
    service: Service,
    table: LeaseTable,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    share = LeasedShare(table, "stale", clock)
    projector = projector_on(service, share)
    create(service.games, "a")
    prepare = projector.games.prepare

    def prepare_slowly(updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        prepared = prepare(updates)
        clock.now += LIVES + 1
        table.remove(["stale"])
        return prepared

    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(projector.games, "prepare", prepare_slowly)
        assert projector.step(0.01) == 0
    assert "stood still" in caplog.text
    assert listed(service.database) == []
    # With new leases it continues.
    assert project(projector) == 1
    assert listed(service.database) == ["a"]
    share.leave()


def test_a_transaction_may_take_as_long_as_it_makes_progress(
    service: Service, table: LeaseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The games of a strict import are shown, although that takes longer than STUCK."""
    monkeypatch.setattr(held, "CHUNK", 1)
    monkeypatch.setattr(share_module, "STUCK", 2 * LIVES)
    monkeypatch.setattr(share_module, "BEAT", 3600.0)
    clock = Clock()
    share = LeasedShare(table, "slow", clock)
    strict = StrictImports(service.imports)
    projector = Projector(service.games, service.database, strict=strict, share=share)
    ids = StrictImport(service, games=6).take_all_in()

    def insert_slowly(*given: Any) -> None:
        clock.now += LIVES - 1
        share.beat()
        insert_seats(*given)

    monkeypatch.setattr(writer, "insert_seats", insert_slowly)
    project(projector)
    assert sorted(listed(service.database)) == sorted(ids)
    assert projector.step(0.01) == 0
    share.leave()


def test_the_heart_of_a_process_that_is_stuck_stops(table: LeaseTable) -> None:
    clock = Clock()
    share = LeasedShare(table, "stuck", clock)
    assert share.partitions()
    share.note_progress()
    for _ in range(int(STUCK // BEAT)):
        clock.now += BEAT
        share.beat()
    assert share.holds()
    clock.now += BEAT
    share.beat()
    clock.now += LIVES - BEAT
    assert not share.holds()
    share.leave()


def test_it_writes_nothing_where_another_has_gone_on(
    service: Service, table: LeaseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if its own clock does not show that its leases have expired."""
    share = LeasedShare(table)
    stale, other = projector_on(service, share), Projector(service.games, service.database)
    create(service.games, "a")
    prepare = stale.games.prepare

    def prepare_slowly(updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        prepared = prepare(updates)
        assert project(other) == 1
        return prepared

    with monkeypatch.context() as patched:
        patched.setattr(stale.games, "prepare", prepare_slowly)
        assert stale.step(0.01) == 0
    create(service.games, "b")
    # Nobody has reacted to the first game yet.
    assert project(stale) == 2
    assert listed(service.database) == ["b", "a"]
    share.leave()


def read_limit(connection: Connection) -> int:
    """How many milliseconds of silence a transaction of PostgreSQL may have."""
    name = "idle_in_transaction_session_timeout"
    found = connection.exec_driver_sql(f"SELECT setting FROM pg_settings WHERE name = '{name}'")
    return int(found.scalar_one())


def test_a_process_that_stands_still_while_it_writes_holds_nobody_up_for_long(
    service: Service, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database_url is None:
        # SQLite's lock belongs to a process, and only to one of this machine.
        return
    monkeypatch.setattr("service.projection.projector.SILENCE", PATIENCE)
    stale, other = (Projector(service.games, service.database) for _ in range(2))
    create(service.games, "a")
    write = GameWriter.write

    def stand_still(self: GameWriter, connection: Connection, games: Iterable[GameRows]) -> Any:
        written = write(self, connection, games)
        monkeypatch.setattr(GameWriter, "write", write)
        # The silence that the projector allows gets short only now: whatever else is done may
        # take its time.
        assert read_limit(connection) == 1000 * PATIENCE
        limit_silence(connection, 1.5)
        # The transaction is still open, so nothing that it has written is visible.
        assert project(other) == 1
        return written

    monkeypatch.setattr(GameWriter, "write", stand_still)
    with pytest.raises(DatabaseAway, match="idle-in-transaction"):
        stale.step(0.01)
    assert listed(service.database) == ["a"]
    create(service.games, "b")
    assert project(Projector(service.games, service.database)) == 1
    assert listed(service.database) == ["b", "a"]


def test_leases_last_as_long_as_redis_can_be_reached(
    table: LeaseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    share = LeasedShare(table, clock=clock)
    assert len(share.partitions()) == 64
    assert share.leads()

    def fail(*given: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(table, "share", fail)
    monkeypatch.setattr(table, "beat", fail)
    clock.now += LOOK / 2
    assert len(share.partitions()) == 64
    clock.now += LOOK
    with pytest.raises(redis.ConnectionError):
        share.partitions()
    assert share.holds()
    clock.now += LIVES
    assert not share.holds()
    share.leave()


def test_the_heart_beats_on_while_what_is_refused_is_left(
    table: LeaseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.projection.leases.share.BEAT", 0.01)
    beats: list[str] = []
    beat = table.beat

    def count(process: str, lives: float) -> bool:
        beats.append(process)
        return beat(process, lives)

    monkeypatch.setattr(table, "beat", count)
    share = LeasedShare(table)
    assert share.partitions()
    share.refuse([3])
    before = len(beats)
    eventually(lambda: len(beats) > before + 2)
    assert 3 not in share.partitions()
    share.leave()
