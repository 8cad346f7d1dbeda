"""What holds for every entity's repository, on a real store that two processes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from redis.exceptions import ConnectionError

from engine.errors import EngineError
from engine.side import Side
from notation.errors import NotationError
from service.analysis.commands import BeginAnalysis, EndAnalysis, QuarantinePosition, RecordFindings
from service.analysis.state import AnalysisEnding as AnalysisEnding
from service.composition.service import Service
from service.errors import NotFound, ServiceError, WrongExpectedVersion
from service.game.commands import CreateGame, OfferDraw, PlayAction
from service.imports.commands import BeginImport, CommitImport, EndImport
from service.imports.decompression import Packing
from service.imports.state import ImportEnding, ImportMode
from service.log.batch import Batch, Order
from service.log.errors import AlreadyDone
from service.log.repository import Repository
from service.log.values import GENESIS, Append, Event
from service.player.actor import Actor
from service.player.commands import Principal, RegisterUnclaimed, RenamePlayer
from service.puzzles.attempts.commands import AttemptPuzzle, Help
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.found_puzzle import FoundPuzzle
from service.puzzles.puzzle import Puzzle
from service.puzzles.withdrawals.commands import RestorePuzzle, WithdrawPuzzle
from service.tournament.commands import CreateTournament, Enter
from tests.service.analysis.support import found, position
from tests.service.log.support import at_once, receipt
from tests.service.puzzles.solvers import find_own, find_wrong, list_long
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on

ID = "e" * 16
SCRIBE = Actor("s" * 16, frozenset({"play", "arbiter"}))
TRIED = list_long()


@dataclass(frozen=True)
class Case:
    """An entity: how it begins, commands that follow each other, and one that may precede them."""

    repository: Callable[[Service], Any]
    new: Callable[[Service], object]
    steps: Sequence[object]
    before: object
    actor: Actor | Principal = SCRIBE


def record(analysis: str, *puzzles: Puzzle) -> RecordPuzzles:
    """The command that records puzzles found through an analysis."""
    found = tuple(FoundPuzzle(1, one) for one in puzzles)
    return RecordPuzzles(analysis=analysis, variant="katruji", puzzles=found, most=9)


def withdraw(reason: str) -> WithdrawPuzzle:
    """The command that withdraws a puzzle."""
    return WithdrawPuzzle(variant="katruji", reason=reason)


CASES = {
    "game": Case(
        lambda service: service.games,
        lambda service: CreateGame(
            variant="katruji", mode="scribe", first="a" * 16, second="b" * 16
        ),
        (PlayAction(token="Sd1"), PlayAction(token="Sa8")),
        OfferDraw(side=Side.SECOND),
    ),
    "player": Case(
        lambda service: service.players,
        lambda service: RegisterUnclaimed(name="Ana"),
        (RenamePlayer(name="Bea"), RenamePlayer(name="Cem")),
        RenamePlayer(name="Dan"),
        Principal("admin", None),
    ),
    "tournament": Case(
        lambda service: service.tournaments,
        lambda service: CreateTournament(
            name="Open", variant="katruji", kind="swiss", scoring={"name": "standard"}, rounds=3
        ),
        (Enter(player="a" * 16), Enter(player="b" * 16)),
        Enter(player="c" * 16),
    ),
    "import": Case(
        lambda service: service.imports,
        lambda service: BeginImport(
            mode=ImportMode.STRICT, size=7, sha256="0" * 64, packing=Packing.NONE
        ),
        (EndImport(ending=ImportEnding.DONE, counts={"accepted": 1}, passed=7),),
        CommitImport(),
    ),
    "analysis": Case(
        lambda service: service.analyses,
        lambda service: BeginAnalysis(begun=position(service.analyses).begun),
        (RecordFindings(findings=[found()]), EndAnalysis(ending=AnalysisEnding.DONE)),
        QuarantinePosition(reason="it kills workers"),
    ),
    "solver": Case(
        lambda service: service.solvers,
        lambda service: AttemptPuzzle(puzzle=TRIED[0], actions=(find_wrong(TRIED[0]),)),
        (
            AttemptPuzzle(puzzle=TRIED[1], actions=find_own(TRIED[1])),
            AttemptPuzzle(puzzle=TRIED[2], actions=(), help=Help.SOLUTION),
        ),
        AttemptPuzzle(puzzle=TRIED[3], actions=find_own(TRIED[3])),
    ),
    "puzzles": Case(
        lambda service: service.found_puzzles,
        lambda service: record("one", TRIED[0]),
        (record("two"), record("three", TRIED[1])),
        record("four", TRIED[2]),
    ),
    "withdrawal": Case(
        lambda service: service.withdrawals,
        lambda service: withdraw("one"),
        (withdraw("two"), RestorePuzzle()),
        withdraw("three"),
    ),
}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def processes(redis_server: RedisServer) -> tuple[Service, Service]:
    return service_on(redis_server), service_on(redis_server)


def begun(case: Case, service: Service) -> Repository[Any, Any, Any, Any]:
    """One process's repository, in which the entity has been created."""
    entities: Repository[Any, Any, Any, Any] = case.repository(service)
    entities.create(ID, case.new(service), case.actor)
    return entities


def test_a_state_is_read_as_it_was_made(case: Case, processes: tuple[Service, Service]) -> None:
    entities, elsewhere = begun(case, processes[0]), case.repository(processes[1])
    done = [entities.execute(ID, step, case.actor) for step in case.steps]
    recorded = entities.log.read(entities.stream(ID))
    last = done[-1].state
    assert [e.hash for d in done for e in d.recorded] == [
        e.hash for e in recorded[-sum(len(d.recorded) for d in done) :]
    ]
    assert (last.version, last.head) == (len(recorded), entities.log.head(entities.stream(ID)))
    assert [e.previous for e in recorded] == [GENESIS, *(e.hash for e in recorded[:-1])]
    for reader in (entities, elsewhere):
        (each,) = reader.load_each([ID, "n" * 16])
        for state in (reader.load(ID), each, reader.at_time(ID, recorded[-1].at)):
            assert (state.id, state.version, state.head) == (ID, last.version, last.head)
            assert state.updated_at == recorded[-1].at
        for entry in recorded:
            before = reader.at_version(ID, entry.version)
            assert (before.version, before.head) == (entry.version, entry.hash)
        assert reader.exists(ID)
        assert reader.digests([ID]) == [last.head]


def test_what_is_not_there_is_not_found(case: Case, processes: tuple[Service, Service]) -> None:
    entities = case.repository(processes[0])
    kind = entities.entity.kind
    asks: list[Callable[[], object]] = [
        partial(entities.load, ID),
        partial(entities.at_version, ID, 1),
        partial(entities.at_time, ID, 1),
        partial(entities.execute, ID, case.steps[0], case.actor),
    ]
    for ask in asks:
        with pytest.raises(NotFound) as error:
            ask()
        assert (error.value.kind, error.value.id) == (kind, ID)
    assert (entities.find(ID), entities.exists(ID)) == (None, False)
    version = begun(case, processes[0]).load(ID).version
    with pytest.raises(NotFound):
        entities.at_version(ID, version + 1)


def test_reading_writes_nothing(
    case: Case, processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(case, processes[0]).execute(ID, case.steps[0], case.actor)

    def refuse(*given: object) -> None:
        raise AssertionError(f"a query appends {given}")

    for service in processes:
        monkeypatch.setattr(service.log, "append", refuse)
        monkeypatch.setattr(service.log, "append_each", refuse)
        entities = case.repository(service)
        state = entities.load(ID)
        entities.at_version(ID, 1)
        entities.at_time(ID, state.updated_at)
        entities.load_each([ID])
        entities.read_each([ID])
        entities.check_receipt(ID, receipt("k"))
        with pytest.raises(AssertionError, match="a query appends"):
            entities.execute(ID, case.steps[-1], case.actor)


def test_a_request_whose_answer_was_lost_is_done_once(
    case: Case, processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = processes[0]
    entities, append = case.repository(service), service.log.append

    def lose(request: Append) -> int:
        made = append(request)
        if request.stream == entities.stream(ID):
            raise ConnectionError("the answer is lost")
        return made

    requests: list[tuple[str, Callable[[Any], object]]] = [
        ("new", lambda e: e.create(ID, case.new(service), case.actor, receipt("new"))),
        ("step", lambda e: e.execute(ID, case.steps[0], case.actor, receipt=receipt("step"))),
    ]
    for key, send in requests:
        with monkeypatch.context() as patched:
            patched.setattr(service.log, "append", lose)
            with pytest.raises(ConnectionError):
                send(entities)
        version = service.log.version(entities.stream(ID))
        for again in (entities, *map(case.repository, processes)):
            with pytest.raises(AlreadyDone) as error:
                send(again)
            assert (error.value.receipt.key, error.value.receipt.last) == (key, version)
            with pytest.raises(AlreadyDone):
                again.check_receipt(ID, receipt(key))
        assert service.log.version(entities.stream(ID)) == version


def test_a_command_that_is_overtaken_is_decided_again(
    case: Case, processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    entities, elsewhere = begun(case, processes[0]), case.repository(processes[1])
    append, version = entities.log.append, entities.load(ID).version

    def overtaken(request: Append) -> int:
        monkeypatch.undo()
        elsewhere.execute(ID, case.before, case.actor)
        return append(request)

    monkeypatch.setattr(entities.log, "append", overtaken)
    done = entities.execute(ID, case.steps[0], case.actor)
    assert (done.state.version, len(done.recorded)) == (version + 2, 1)
    assert elsewhere.load(ID).head == done.state.head


def test_only_the_expected_version_is_changed(
    case: Case, processes: tuple[Service, Service]
) -> None:
    entities, elsewhere = begun(case, processes[0]), case.repository(processes[1])
    version = elsewhere.load(ID).version
    entities.execute(ID, case.before, case.actor)
    for asked in (entities, elsewhere):
        with pytest.raises(WrongExpectedVersion) as error:
            asked.execute(ID, case.steps[0], case.actor, expected=version)
        assert (error.value.expected, error.value.actual) == (version, version + 1)
    done = elsewhere.execute(ID, case.steps[0], case.actor, expected=version + 1)
    assert done.state.version == version + 2


def test_an_id_is_taken_once(case: Case, processes: tuple[Service, Service]) -> None:
    begun(case, processes[0])
    for service in processes:
        with pytest.raises((WrongExpectedVersion, ServiceError)):
            case.repository(service).create(ID, case.new(service), case.actor)
        (made,) = case.repository(service).create_each({ID: case.new(service)}, case.actor).values()
        assert isinstance(made, WrongExpectedVersion)


def test_commands_at_once_leave_one_history(case: Case, processes: tuple[Service, Service]) -> None:
    begun(case, processes[0])
    version = processes[0].log.version(case.repository(processes[0]).stream(ID))

    def send(service: Service, command: object) -> Sequence[Event]:
        try:
            done = case.repository(service).execute(ID, command, case.actor)
        except (ServiceError, NotationError, EngineError):
            return ()
        return [entry.event for entry in done.recorded]

    commands = (case.before, *case.steps)
    made = at_once([partial(send, s, c) for s in processes for c in commands])
    entities = case.repository(processes[0])
    recorded = entities.log.read(entities.stream(ID))
    assert len(recorded) == version + sum(map(len, made)) > version
    assert [e.previous for e in recorded] == [GENESIS, *(e.hash for e in recorded[:-1])]
    heads = {case.repository(service).load(ID).head for service in processes}
    assert heads == {recorded[-1].hash}


def test_orders_given_together_are_carried_out_as_if_one_by_one(
    case: Case, processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    entities = begun(case, processes[0])
    entities.load(ID)
    orders = [Order(ID, step, receipt=receipt(str(n))) for n, step in enumerate(case.steps)]
    asked: list[int] = []
    append_each = entities.log.append_each

    def count(requests: Sequence[Append]) -> Any:
        asked.append(len(requests))
        return append_each(requests)

    monkeypatch.setattr(entities.log, "append_each", count)
    missing = Order("n" * 16, case.steps[0])
    outcomes = list(Batch(entities, case.actor).execute([orders[0], missing, *orders[1:]]))
    assert asked == [len(orders)]
    assert isinstance(outcomes.pop(1), NotFound)
    done = [each for each in outcomes if not isinstance(each, Exception)]
    assert len(done) == len(orders)
    recorded = entities.log.read(entities.stream(ID))
    assert [e.hash for each in done for e in each.recorded] == [e.hash for e in recorded[1:]]
    assert done[-1].state.head == entities.load(ID).head == recorded[-1].hash
    # When they are sent again, their receipts answer.
    again = list(Batch(entities, case.actor).execute(orders))
    assert [type(each) for each in again] == [AlreadyDone] * len(orders)
    assert entities.log.version(entities.stream(ID)) == len(recorded)


def test_orders_that_others_overtake_are_decided_again(
    case: Case, processes: tuple[Service, Service]
) -> None:
    entities, elsewhere = begun(case, processes[0]), case.repository(processes[1])
    entities.load(ID)
    version = elsewhere.execute(ID, case.before, case.actor).state.version
    (stale,) = Batch(entities, case.actor).execute([Order(ID, case.steps[0], expected=1)])
    assert isinstance(stale, WrongExpectedVersion)
    assert stale.actual == version
    (done,) = Batch(entities, case.actor).execute([Order(ID, case.steps[0])])
    assert not isinstance(done, Exception)
    assert done.recorded[0].version == version + 1
