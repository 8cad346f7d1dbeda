"""Withdrawn puzzles, projected: in no list, in whatever order the events are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations

import pytest
from sqlalchemy import delete

from service.composition.service import CODEC
from service.errors import NotFound
from service.log.memory import MemoryEventLog
from service.log.values import Pointer, StreamId
from service.projection.database.database import Database
from service.projection.database.tables import PUZZLE_COLLECTION
from service.projection.puzzles.attempts import AttemptProjection
from service.projection.puzzles.found import FoundPuzzleProjection
from service.projection.puzzles.puzzle_list import PuzzleList
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.projection.puzzles.withdrawal_list import ListedWithdrawal, WithdrawalList
from service.projection.puzzles.withdrawals import WithdrawalProjection
from service.projection.short_heads import shorten_head
from service.puzzles.attempts import state as attempts
from service.puzzles.attempts.commands import AttemptPuzzle
from service.puzzles.attempts.repository import Solvers
from service.puzzles.collection import load_collection
from service.puzzles.errors import WithdrawnPuzzle
from service.puzzles.found import state as found
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.repository import FoundPuzzles
from service.puzzles.withdrawals.commands import WithdrawPuzzle
from service.puzzles.withdrawals.repository import Withdrawals
from service.puzzles.withdrawals.state import KIND, stream_of
from tests.service.projection.puzzles.support import NOW, PERIOD, TABLES, Clock
from tests.service.projection.support import dump
from tests.service.puzzles.planted import PLANTED, find_planted
from tests.service.puzzles.solvers import find_own

OWN = next(load_collection().list_puzzles("katruji"))
ALL = (*TABLES, "found_puzzle", "puzzle_withdrawal")
WRONG = WithdrawPuzzle(variant="katruji", reason="wrong")


@dataclass
class Desk:
    """A log in which puzzles are found, tried and withdrawn, and the lists that it gives."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    log: MemoryEventLog = field(default_factory=lambda: MemoryEventLog(CODEC))

    @property
    def withdrawals(self) -> Withdrawals:
        return Withdrawals(self.log, self.clock)

    @property
    def puzzles(self) -> PuzzleList:
        return PuzzleList(self.database)

    def find(self) -> None:
        """Find the planted puzzle in the game g."""
        command = RecordPuzzles(analysis="a", variant="katruji", puzzles=(find_planted(),), most=9)
        FoundPuzzles(self.log, self.clock).record("g", command)

    def project(self, *streams: StreamId, database: Database | None = None) -> None:
        """Project these streams, one after the other."""
        kinds = {
            one.kind: one
            for one in (
                FoundPuzzleProjection(self.log),
                AttemptProjection(self.log),
                WithdrawalProjection(self.log),
            )
        }
        for stream in streams:
            change = kinds[stream.kind].prepare([Pointer("1-0", stream, 1, 1, ())])
            (database or self.database).write(change)


@pytest.fixture
def desk(database: Database) -> Desk:
    write_collection(database)
    return Desk(database)


def test_a_withdrawn_puzzle_is_in_no_list_until_it_is_restored(desk: Desk) -> None:
    before = dump(desk.database, *TABLES)
    desk.withdrawals.withdraw(OWN.id, WRONG, "ada")
    desk.project(stream_of(OWN.id))
    with pytest.raises(WithdrawnPuzzle):
        desk.puzzles.find(OWN.id)
    assert OWN.id not in [one.puzzle.id for one in desk.puzzles.page("katruji", None)]
    # Another version of the service brings other puzzles.
    desk.database.write(lambda connection: connection.execute(delete(PUZZLE_COLLECTION)))
    write_collection(desk.database)
    with pytest.raises(WithdrawnPuzzle):
        desk.puzzles.find(OWN.id)
    desk.withdrawals.restore(OWN.id, "ada")
    desk.project(stream_of(OWN.id))
    assert dump(desk.database, *TABLES) == before
    with pytest.raises(NotFound) as error:
        desk.puzzles.find("0" * 10)
    assert not isinstance(error.value, WithdrawnPuzzle)


def test_lists_are_the_same_in_whatever_order_events_are_written(desk: Desk) -> None:
    desk.find()
    Solvers(desk.log, desk.clock).attempt(
        "ada", AttemptPuzzle(puzzle=PLANTED, actions=find_own(PLANTED))
    )
    desk.withdrawals.withdraw(PLANTED.id, WRONG, "ada")
    streams = (found.stream_of("g"), attempts.stream_of("ada"), stream_of(PLANTED.id))
    dumps = []
    for order in permutations(streams):
        built = desk.database.build()
        write_collection(built)
        desk.project(*order, database=built)
        PuzzleRatings(built, PERIOD).rate()
        dumps.append(dump(built, *ALL))
        with pytest.raises(WithdrawnPuzzle):
            PuzzleList(built).find(PLANTED.id)
        built.discard()
    assert all(one == dumps[0] for one in dumps)
    assert len(dumps[0]["attempt"]) == 1


def test_a_restored_puzzle_has_the_rating_that_it_had(desk: Desk) -> None:
    desk.find()
    solvers = Solvers(desk.log, desk.clock)
    solvers.attempt("ada", AttemptPuzzle(puzzle=PLANTED, actions=find_own(PLANTED)))
    desk.project(found.stream_of("g"), attempts.stream_of("ada"))
    PuzzleRatings(desk.database, PERIOD).rate()
    rated = desk.puzzles.find(PLANTED.id)
    assert rated.attempts == 1
    desk.withdrawals.withdraw(PLANTED.id, WRONG, "ada")
    desk.project(stream_of(PLANTED.id))
    # What is tried before the lists know of the withdrawal counts all the same.
    desk.clock.now += 1000
    solvers.attempt("bea", AttemptPuzzle(puzzle=PLANTED, actions=find_own(PLANTED)))
    desk.project(attempts.stream_of("bea"))
    PuzzleRatings(desk.database, PERIOD).rate()
    desk.withdrawals.restore(PLANTED.id, "ada")
    desk.project(stream_of(PLANTED.id))
    restored = desk.puzzles.find(PLANTED.id)
    assert restored.attempts == 2
    assert restored.rating.rating < rated.rating.rating


def test_withdrawals_are_listed_newest_first(desk: Desk) -> None:
    chosen = [one.id for one in load_collection().list_puzzles("kerd")][:5]
    for number, id in enumerate(chosen):
        desk.withdrawals.withdraw(id, WithdrawPuzzle(variant="kerd", reason=str(number)), "ada")
        desk.clock.now += 1000 * (number % 2)
    desk.withdrawals.restore(chosen[2], "ada")
    desk.project(*map(stream_of, chosen))
    listed = WithdrawalList(desk.database)
    first, cursor = listed.page(limit=3)
    rest, end = listed.page(cursor, 3)
    times = {chosen[0]: NOW, chosen[1]: NOW, chosen[3]: NOW + 1000, chosen[4]: NOW + 2000}
    assert end is None
    assert len(first) == 3
    expected = sorted(times, key=lambda id: (times[id], id), reverse=True)
    assert first + rest == [
        ListedWithdrawal(id, "kerd", str(chosen.index(id)), times[id]) for id in expected
    ]


def test_what_the_log_has_lost_is_mended(desk: Desk) -> None:
    desk.withdrawals.withdraw(OWN.id, WRONG, "ada")
    desk.project(stream_of(OWN.id))
    projection = WithdrawalProjection(desk.log)
    heads = {OWN.id: shorten_head(desk.log.head(stream_of(OWN.id)))}
    assert desk.database.read(lambda one: projection.find_stale(one, heads)) == set()
    assert desk.database.read(lambda one: projection.find_stale(one, {})) == {OWN.id}
    desk.database.write(projection.mend([OWN.id], []))
    assert desk.puzzles.find(OWN.id).puzzle == OWN
    desk.database.write(projection.mend([OWN.id], [OWN.id]))
    with pytest.raises(WithdrawnPuzzle):
        desk.puzzles.find(OWN.id)


def test_a_withdrawal_that_cannot_be_read_holds_up_no_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = next(load_collection().list_puzzles("kerak")).id
    for id in (OWN.id, other):
        desk.withdrawals.withdraw(id, WRONG, "ada")
    read = desk.log.read

    def fail(stream: object, *rest: int) -> object:
        if stream == stream_of(OWN.id):
            raise ValueError(stream)
        return read(stream, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.log, "read", fail)
    projection = WithdrawalProjection(desk.log)
    pointers = [Pointer("1-0", stream_of(id), 1, 1, ()) for id in (OWN.id, other)]
    desk.database.write(projection.prepare(pointers))
    assert desk.puzzles.find(OWN.id).puzzle == OWN
    with pytest.raises(WithdrawnPuzzle):
        desk.puzzles.find(other)
    assert projection.kind == KIND
