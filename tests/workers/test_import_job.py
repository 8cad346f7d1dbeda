"""The import job on real servers: killed, stopped, cancelled, raced."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from service.composition.projector import compose_projector
from service.composition.service import Service
from service.ids import new_id
from service.imports.errors import CannotCancel
from service.imports.events import ImportCommitted
from service.imports.parsing import ParsedRecord
from service.imports.repository import stream_of
from service.imports.state import ImportEnding, ImportMode, ImportState
from service.imports.verdicts import Verdict
from service.jobs.job import JobState
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import LEASE, TRIES, Jobs
from service.projection.games.query import Query
from tests.service.imports.archive import write_archive
from tests.service.imports.support import ILLEGAL, work
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually
from tests.workers.held import IMPORTING, JUDGING, Hold
from tests.workers.processes import Start, children, kill_worker, worker_processes
from tests.workers.support import service_on
from workers import import_batches, import_job
from workers.job_functions import FUNCTIONS
from workers.record_importer import Importer
from workers.run import carry_out

GAMES = 1500


@pytest.fixture
def start(durable: RedisServer, hold: Hold) -> Iterator[Start]:
    with worker_processes(durable, "imports", hold) as start:
        yield start


def begin(service: Service, file: Path, mode: ImportMode = ImportMode.QUARANTINE) -> str:
    """Queue the import of a file by a new player, and return its id."""
    id = new_id()
    by = service.players.register("Ann", None).id
    with (
        file.open("rb") as stream,
        service.imports.uploads.receive(stream) as received,
    ):
        service.imports.begin(id, received, mode, by, None)
    return id


def verdicts(service: Service, id: str) -> list[dict[str, Any]]:
    return [v for v, _ in service.imports.uploads.verdicts(id).lines()]


@pytest.mark.parametrize("games", [10, 60], ids=["in the worker", "by helpers"])
def test_what_was_imported_is_handed_over_and_read_no_second_time(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: int
) -> None:
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    read: list[str] = []
    monkeypatch.setattr(service.games, "read_each", read.extend)
    file = write_archive(tmp_path / "some.pgn", games)
    for _ in range(2):
        # The second time, all games are duplicates, and nothing is handed over.
        id = begin(service, file)
        carry_out(id, service, service.jobs, FUNCTIONS)
        with sqlite3.connect(service.handover.path) as database:
            handed = database.execute("SELECT count(*) FROM game").fetchone()
        database.close()
        counts = service.imports.load(id).ended
        assert counts is not None
        assert handed[0] == counts.counts.get("accepted", 0)
        while projector.step(0):
            pass
    assert read == []
    assert len(service.search.page(Query(), limit=200).games) == games


def view(service: Service, id: str) -> dict[str, Any]:
    return service.imports.view(service.imports.load(id))


def ended(service: Service, id: str) -> bool:
    return service.imports.load(id).ended is not None


def games(service: Service) -> set[str]:
    return {stream.id for stream in service.log.streams("game")}


def assert_whole(service: Service, id: str, number: int = GAMES) -> None:
    """Every game is imported once and has one verdict."""
    told = verdicts(service, id)
    assert [verdict["number"] for verdict in told] == list(range(1, number + 1))
    assert Counter(v["status"] for v in told) == {"accepted": number}
    assert view(service, id)["counts"] == {"accepted": number}
    assert {verdict["game"] for verdict in told} == games(service)
    assert len(games(service)) == number
    assert all(service.log.version(s) == 1 for s in service.log.streams("game"))


def wait_for_share(service: Service, id: str, share: float) -> None:
    """Wait until an import has kept a share of its work."""
    least = max(1, share * service.imports.load(id).begun.size)
    eventually(lambda: service.jobs.get(id).progress[0] >= least)


def reconcile(service: Service) -> None:
    """Run the reconciler at a time when the leases of killed workers have expired."""
    later = Jobs(service.store, lambda: service.jobs.clock() + LEASE)
    Reconciler(JobQueue(later, service.store)).run()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [ImportMode.QUARANTINE, ImportMode.STRICT])
def test_killed_again_and_again_nothing_is_lost_and_nothing_is_doubled(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold, mode: ImportMode
) -> None:
    service = service_on(durable)
    id = begin(service, write_archive(tmp_path / "a.pgn", GAMES), mode)
    for share in (0.1, 0.3, 0.5, 0.7):
        hold.at(IMPORTING, share)
        worker = start()
        reached = share * service.imports.load(id).begun.size

        def far(reached: float = reached) -> bool:
            job = service.jobs.get(id)
            at = job.checkpoint
            return at is not None and not at["judging"] and job.progress[0] >= reached

        eventually(far)
        assert not ended(service, id)
        kill_worker(worker)
        reconcile(service)
    hold.release()
    start()
    reconcile(service)
    eventually(lambda: ended(service, id))
    assert_whole(service, id)
    assert service.jobs.get(id).tries == 1
    # In another import of the file, all games are duplicates.
    again = begin(service, tmp_path / "a.pgn", mode)
    eventually(lambda: ended(service, again))
    assert view(service, again)["counts"] == {"duplicate": GAMES}
    assert len(games(service)) == GAMES


@pytest.mark.slow
def test_a_strict_import_killed_before_its_commit_has_taken_in_nothing(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold
) -> None:
    service = service_on(durable)
    file = write_archive(tmp_path / "a.pgn", GAMES)
    with file.open("a") as stream:
        stream.write("\n" + ILLEGAL)
    id = begin(service, file, ImportMode.STRICT)
    hold.at(JUDGING, 0.9)
    worker = start()
    wait_for_share(service, id, 0.9)
    kill_worker(worker)
    hold.release()
    assert games(service) == set()
    start()
    reconcile(service)
    eventually(lambda: ended(service, id))
    assert view(service, id)["state"] == "refused"
    assert view(service, id)["counts"] == {"valid": GAMES, "quarantined": 1}
    assert games(service) == set()


@pytest.mark.slow
def test_told_to_stop_it_goes_back_and_goes_on_where_it_was(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold
) -> None:
    service = service_on(durable)
    id = begin(service, write_archive(tmp_path / "a.pgn", GAMES))
    hold.at(IMPORTING, 0.2)
    worker = start()
    wait_for_share(service, id, 0.2)
    worker.terminate()
    assert worker.wait(PATIENCE) == 0
    hold.release()
    job = service.jobs.get(id)
    assert job.state is JobState.QUEUED
    assert job.checkpoint["number"] > 1
    start()
    reconcile(service)
    eventually(lambda: ended(service, id))
    assert_whole(service, id)


@pytest.mark.slow
def test_cancelled_midway_what_is_in_stays_in(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold
) -> None:
    service = service_on(durable)
    id = begin(service, write_archive(tmp_path / "a.pgn", GAMES))
    hold.at(IMPORTING, 0.2)
    start()
    wait_for_share(service, id, 0.2)
    state = service.imports.cancel(id)
    hold.release()
    assert state.ended is not None
    # The worker takes its next job once it has abandoned this one.
    other = begin(service, write_archive(tmp_path / "b.pgn", 1))
    eventually(lambda: ended(service, other))
    shown = view(service, id)
    assert shown["state"] == "cancelled"
    # Reading ended with the last verdict.
    assert 0 < shown["progress"]["bytes"] < shown["size"]
    told = verdicts(service, id)
    assert 0 < shown["counts"]["accepted"] == len(told) < GAMES
    assert {v["game"] for v in told} | {v["game"] for v in verdicts(service, other)} == games(
        service
    )


@pytest.mark.slow
def test_two_workers_with_the_same_file_make_no_doubles(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold
) -> None:
    """The file also has some of its games twice."""
    service = service_on(durable)
    file = write_archive(tmp_path / "a.pgn", 600)
    again = write_archive(tmp_path / "b.pgn", 40)
    file.write_text(f"{file.read_text()}\n{again.read_text()}")
    hold.at(IMPORTING, 0.0)
    for _ in range(2):
        start()
    ids = [begin(service, file) for _ in range(2)]
    for id in ids:
        wait_for_share(service, id, 0.0)
    assert not any(ended(service, id) for id in ids)
    hold.release()
    for id in ids:
        eventually(partial(ended, service, id))
    told = [verdicts(service, id) for id in ids]
    for of_one in told:
        assert [verdict["number"] for verdict in of_one] == list(range(1, 641))
        assert {verdict["game"] for verdict in of_one} == games(service)
    assert Counter(v["status"] for v in chain(*told)) == {"accepted": 600, "duplicate": 680}
    assert len({v["game"] for v in chain(*told) if v["status"] == "accepted"}) == 600
    assert len(games(service)) == 600
    assert all(service.log.version(s) == 1 for s in service.log.streams("game"))


def test_a_worker_that_was_overtaken_says_nothing_more(service: Service, tmp_path: Path) -> None:
    """As when the machine slept past its lease just after importing games."""
    id = begin(service, write_archive(tmp_path / "a.pgn", 250, "katruji"))
    take = Importer.import_records

    def asleep(self: Importer, prepared: Sequence[ParsedRecord], number: int) -> list[Verdict]:
        made = take(self, prepared, number)
        patch.setattr(Importer, "import_records", take)
        later = Jobs(service.store, lambda: service.jobs.clock() + LEASE)
        assert later.take_back(id)
        carry_out(id, service, later, FUNCTIONS)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Importer, "import_records", asleep)
        work(service)
    assert_whole(service, id, 250)


def test_a_verdict_file_that_was_lost_is_written_anew(service: Service, tmp_path: Path) -> None:
    """As after a power cut that lost what had not reached the disk."""
    id = begin(service, write_archive(tmp_path / "a.pgn", 250, "katruji"))
    with pytest.MonkeyPatch.context() as patch:
        # Only batches call `_check`; a slow machine must not add calls from heartbeats.
        patch.setattr(import_job, "BEAT", 3600.0)
        patch.setattr(import_job.ImportRun, "_check", fail_after(2))
        work(service)
    assert service.jobs.get(id).checkpoint["number"] == 201
    (service.settings.data_dir / "imports" / id / "verdicts.ndjson").unlink()
    service.jobs.store.hset(f"movelog:{{jobs}}:job:{id}", "due", 0)
    later = Jobs(service.store, lambda: service.jobs.clock() + LEASE)
    for due in later.due():
        carry_out(due, service, service.jobs, FUNCTIONS)
    assert_whole(service, id, 250)


def fail_after(times: int) -> Callable[[object], None]:
    """A function that raises ConnectionError after `times` calls."""
    calls = iter(range(times))

    def fail(run: object) -> None:
        if next(calls, None) is None:
            raise ConnectionError

    return fail


def test_a_commit_and_a_cancel_exclude_each_other(service: Service, tmp_path: Path) -> None:
    id = begin(service, write_archive(tmp_path / "a.pgn", 1), ImportMode.STRICT)
    before = service.imports.load(id)
    assert service.imports.commit(before).committed
    with pytest.raises(CannotCancel, match="committed"):
        service.imports.cancel(id)
    with pytest.MonkeyPatch.context() as patch:
        # A state read before the commit does not let anybody cancel either.
        loads = iter([before])
        load = type(service.imports).load
        patch.setattr(
            type(service.imports), "load", lambda self, id: next(loads, None) or load(self, id)
        )
        with pytest.raises(CannotCancel):
            service.imports.cancel(id)
    work(service)
    assert view(service, id)["counts"] == {"accepted": 1}
    other = begin(service, write_archive(tmp_path / "b.pgn", 2), ImportMode.STRICT)
    state: ImportState = service.imports.load(other)
    service.imports.cancel(other)
    assert not service.imports.commit(state).committed
    events = [entry.event for entry in service.log.read(stream_of(other))]
    assert ImportCommitted() not in events


def test_an_import_whose_job_has_just_ended_can_be_cancelled(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = begin(service, write_archive(tmp_path / "a.pgn", 3))
    cancel = Jobs.cancel

    def late(jobs: Jobs, id: str) -> None:
        work(service)
        cancel(jobs, id)

    monkeypatch.setattr(Jobs, "cancel", late)
    state = service.imports.cancel(id)
    assert state.ended is not None
    assert service.jobs.get(id).state is JobState.DONE
    assert view(service, id)["state"] == "cancelled"


def test_a_cancelled_import_does_not_count_as_the_last_of_its_file(
    service: Service, tmp_path: Path
) -> None:
    file = write_archive(tmp_path / "a.pgn", 3)
    failed, whole, cancelled = (begin(service, file) for _ in range(3))
    service.imports.give_up(failed, "the disk is full")
    service.imports.end(service.imports.load(whole), ImportEnding.DONE, {})
    # Its worker has come to the end of the file and does not know of the cancelling.
    before = service.imports.load(cancelled)
    service.imports.cancel(cancelled)
    after = service.imports.end(before, ImportEnding.DONE, {})
    assert after.ended is not None
    assert after.ended.state == ImportEnding.CANCELLED
    assert service.imports.is_complete(service.imports.load(failed))


@pytest.mark.slow
def test_helpers_end_with_the_job(
    durable: RedisServer, tmp_path: Path, start: Start, hold: Hold
) -> None:
    service = service_on(durable)
    begin(service, write_archive(tmp_path / "a.pgn", GAMES))
    hold.at(IMPORTING, 0.2)
    worker = start()
    helpers: list[int] = []

    def busy() -> bool:
        helpers[:] = [pid for job in children(worker.pid) for pid in children(job)]
        return len(helpers) == (os.cpu_count() or 1)

    eventually(busy)
    kill_worker(worker)
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in helpers))


def test_a_full_disk_is_no_reason_to_give_an_import_up(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs no try, not even the last one: the import goes on when there is room."""
    id = begin(service, write_archive(tmp_path / "a.pgn", 3))
    carried_out = import_job._carry_out

    def full(*args: object) -> ImportState:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(import_job, "_carry_out", full)
    monkeypatch.setattr("workers.run.PAUSE", 0.01)
    service.jobs.move(id, JobState.QUEUED, JobState.QUEUED, 0, {"tries": TRIES - 1})
    carry_out(id, service, service.jobs, FUNCTIONS)
    assert service.imports.load(id).ended is None
    assert service.jobs.get(id).tries == TRIES - 1
    monkeypatch.setattr(import_job, "_carry_out", carried_out)
    carry_out(id, service, service.jobs, FUNCTIONS)
    assert_whole(service, id, 3)


def test_games_wait_while_only_the_room_is_left_that_others_need(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full up to the reserve of uploads after the first batch."""
    monkeypatch.setattr("workers.run.PAUSE", 0)
    monkeypatch.setattr(import_batches, "GAMES", 4)
    id = begin(service, write_archive(tmp_path / "some.pgn", 10, "katruji"))
    import_some = Importer.import_records

    def fill(self: Importer, prepared: Sequence[ParsedRecord], number: int) -> list[Verdict]:
        usage = SimpleNamespace(total=100 << 30, free=1 << 30)
        monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
        return import_some(self, prepared, number)

    with monkeypatch.context() as full:
        full.setattr(Importer, "import_records", fill)
        for _ in range(TRIES + 1):
            carry_out(id, service, service.jobs, FUNCTIONS)
            assert 0 < len(games(service)) < 10
            assert service.jobs.get(id).tries == 0
            assert view(service, id)["reason"].startswith("the service has no room for more data;")
    usage = SimpleNamespace(total=100 << 30, free=50 << 30)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    reasons = []

    def look(self: Importer, prepared: Sequence[ParsedRecord], number: int) -> list[Verdict]:
        reasons.append(view(service, id)["reason"])
        return import_some(self, prepared, number)

    monkeypatch.setattr(Importer, "import_records", look)
    carry_out(id, service, service.jobs, FUNCTIONS)
    assert reasons[-1] == ""
    assert_whole(service, id, 10)
