"""Imports of files made to hold up all others."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from redis import Redis

from service.composition.service import Service
from service.imports.errors import CannotCancel
from service.imports.state import ImportMode
from service.jobs import fair_queue
from service.jobs.duties import Lane
from service.jobs.fair_queue import FairQueue, player_of
from service.jobs.job import Job, JobState
from service.jobs.queue import JobQueue
from tests.service.imports.archive import write_archive
from tests.service.imports.hostile import HOSTILE
from tests.stalls import measured_stalls
from tests.waiting import eventually, patiently
from tests.workers.test_import_job import assert_whole, begin, ended, verdicts, view
from workers import import_job
from workers.job_functions import FUNCTIONS
from workers.run import carry_out, take_turn
from workers.task import Task

LARGE = 400
SIZE = 300 << 20
AT_MOST = 2.0
"""Seconds within which a cancelled import must be abandoned."""
PATIENCE = 3.0
"""Additional seconds allowed for a busy machine."""


def write(folder: Path, content: bytes) -> Path:
    file = folder / "hostile"
    file.write_bytes(content)
    return file


@pytest.fixture
def short_lease(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases of four seconds in which this process computes, however slow the machine is."""
    begun = service.jobs.clock() - round(1000 * time.process_time())
    monkeypatch.setattr(service.jobs, "clock", lambda: begun + round(1000 * time.process_time()))
    monkeypatch.setattr("service.jobs.store.LEASE", 4000)


def worked(service: Service, id: str) -> Thread:
    """Carry an import out in a thread, and return the thread once the job has begun."""
    thread = Thread(target=carry_out, args=(id, service, service.jobs, FUNCTIONS))
    thread.start()
    eventually(lambda: service.jobs.get(id).state is not JobState.QUEUED)
    return thread


def take_hint(service: Service) -> bool:
    """Take the next hint as a worker does; returns False if there is none."""
    lane = JobQueue(service.jobs, service.store).queues[Lane.IMPORTS]
    if not (ids := lane.get_job_ids()):
        return False
    lane.remove(ids[0])
    take_turn(ids[0], service)
    return True


@pytest.mark.slow
def test_the_file_that_stopped_all_imports_is_soon_done_with(
    service: Service, tmp_path: Path, short_lease: None
) -> None:
    """A thousand tag lines and 300 MiB of line feeds once held up all others for 31 minutes."""
    packed = HOSTILE["line feeds behind tags"](SIZE)
    assert len(packed) < 40_000
    id = begin(service, write(tmp_path, packed))
    thread = worked(service, id)
    deadline = time.process_time() + 60
    while thread.is_alive():
        assert service.jobs.expired() == [], "the lease was not kept"
        assert time.process_time() < deadline
        thread.join(0.1)
    (verdict,) = verdicts(service, id)
    assert (verdict["status"], verdict["code"]) == ("quarantined", "too-large")
    assert "1048576 bytes" in verdict["detail"]
    assert view(service, id)["state"] == "done"


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_cancelled_import_is_let_go_of_within_two_seconds(
    service: Service, tmp_path: Path, short_lease: None, kind: str
) -> None:
    id = begin(service, write(tmp_path, HOSTILE[kind](SIZE)))
    thread = worked(service, id)
    thread.join(1.5)
    assert service.jobs.expired() == [], "the lease was not kept"
    with measured_stalls() as stalled:
        # An import that has already ended needs no cancelling.
        with suppress(CannotCancel):
            service.imports.cancel(id)
        asked = time.monotonic()
        while thread.is_alive():
            passed = time.monotonic() - asked
            thread.join(0.1)
            assert passed <= AT_MOST + PATIENCE + stalled(), f"it went on for {passed:.1f} s"
    assert ended(service, id)


def test_an_import_is_heard_of_in_the_midst_of_a_section(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import cancelled within its first section reads no further."""
    monkeypatch.setattr(import_job, "BEAT", 0.0)
    id = begin(service, write(tmp_path, HOSTILE["one endless line"](64 << 20)))
    progress, beats = Task.report_progress, []

    def cancelled_soon(task: Task, done: int, total: int, note: str = "") -> None:
        beats.append(done)
        if len(beats) == 5:
            service.imports.cancel(id)
        progress(task, done, total, note)

    monkeypatch.setattr(Task, "report_progress", cancelled_soon)
    carry_out(id, service, service.jobs, FUNCTIONS)
    assert len(beats) == 5
    assert service.jobs.get(id).state is JobState.CANCELLED


def test_another_player_has_a_turn_while_a_large_file_is_taken_in(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    large = begin(service, write_archive(tmp_path / "a.pgn", LARGE, "katruji"))
    others = [begin(service, write_archive(tmp_path / f"{n}.pgn", 3)) for n in range(2)]
    order: list[str] = []
    while take_hint(service):
        order += [id for id in (large, *others) if id not in order and ended(service, id)]
    assert (set(order[:-1]), order[-1]) == (set(others), large)
    assert service.jobs.get(large).checkpoint["number"] == LARGE + 1
    told = verdicts(service, large)
    assert [verdict["number"] for verdict in told] == list(range(1, LARGE + 1))
    assert service.jobs.get(large).tries == 1


def another_waits(turns: FairQueue, job: Job, seconds: float, suspended: Collection[str]) -> bool:
    """End every turn as soon as another player waits, whoever has had more."""
    return any(player_of(other) != player_of(job) for other in turns.waiting(Lane.IMPORTS))


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_another_player_has_a_turn_while_a_section_is_read_that_is_too_large(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(FairQueue, "is_over", another_waits)
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    monkeypatch.setattr(fair_queue, "LOOK", 0.0)
    first, last = (write_archive(tmp_path / f"{n}.pgn", 2, "katruji").read_bytes() for n in "ab")
    content = first + b'[Event "x"]\n' + b"[ x\n" * (3 << 18) + b"*\n" + last
    large = begin(service, write(tmp_path, gzip.compress(content) if packed else content))
    others: list[str] = []
    within: list[int] = []
    for _ in patiently("all imports end"):
        if not within and all(ended(service, other) for other in others):
            # Someone waits during every turn of the large file, until it has given up a turn once.
            file = write_archive(tmp_path / f"{len(others)}.pgn", 3)
            others.append(begin(service, file))
        if not take_hint(service):
            break
        checkpoint = service.jobs.get(large).checkpoint or {}
        if checkpoint.get("within"):
            within.append(checkpoint["within"]["offset"])
            assert checkpoint["number"] == 3
    assert all(ended(service, id) for id in (large, *others))
    # Each turn resumed at or after the place where the one before ended.
    assert within
    assert within == sorted(within)
    told = verdicts(service, large)
    assert [(verdict["number"], verdict["status"]) for verdict in told] == [
        (1, "accepted"),
        (2, "accepted"),
        (3, "quarantined"),
        (4, "duplicate"),
        (5, "duplicate"),
    ]
    assert told[2]["code"] == "too-large"
    lines = [1 + content.count(b"\n", 0, at) for at in (len(first), content.rindex(last))]
    assert [told[2]["line"], told[3]["line"]] == lines


def test_a_file_has_its_turn_to_itself_when_nobody_else_waits(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    id = begin(service, write_archive(tmp_path / "a.pgn", 250, "katruji"))
    assert take_hint(service)
    assert_whole(service, id, 250)
    assert not take_hint(service)


def test_a_long_import_seldom_asks_who_waits(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import used to look after each batch, listing up to a thousand jobs."""
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    monkeypatch.setattr(fair_queue, "LOOK", 3600.0)
    id = begin(service, write_archive(tmp_path / "a.pgn", LARGE, "katruji"))
    lane = JobQueue(service.jobs, service.store).queues[Lane.IMPORTS]
    sent: list[object] = []
    execute = Redis.execute_command

    def counted(client: Redis, *given: Any, **options: Any) -> Any:
        sent.append(given[:2])
        return execute(client, *given, **options)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(Redis, "execute_command", counted)
    assert take_hint(service)
    assert ended(service, id)
    # The test looks once, the turn once when it begins, and the import only once.
    assert sent.count(("LRANGE", lane.key)) == 3


def test_a_file_of_too_many_records_fails(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "MOST", 150)
    whole = begin(service, write_archive(tmp_path / "a.pgn", 150, "katruji"))
    more = begin(service, write_archive(tmp_path / "b.pgn", 151, "katruji"))
    while take_hint(service):
        pass
    shown = view(service, whole)
    assert (shown["state"], shown["progress"]["bytes"]) == ("done", shown["size"])
    shown = view(service, more)
    assert shown["state"] == "failed"
    assert 0 < shown["progress"]["bytes"] < shown["size"]
    assert shown["reason"].startswith("too-many-records: the file holds more than 150 records")


def test_a_strict_import_of_too_many_records_imports_none(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "MOST_STRICT", 150)
    whole = write_archive(tmp_path / "a.pgn", 150, "katruji")
    more = write_archive(tmp_path / "b.pgn", 151, "katruji")
    id = begin(service, more, ImportMode.STRICT)
    while take_hint(service):
        pass
    shown = view(service, id)
    assert (shown["state"], shown["committed"]) == ("failed", False)
    assert shown["reason"].startswith("too-many-records: the file holds more than 150 records")
    assert service.log.streams("game") == []
    for file, mode in ((whole, ImportMode.STRICT), (more, ImportMode.QUARANTINE)):
        assert begin(service, file, mode)
    while take_hint(service):
        pass
    assert len(service.log.streams("game")) == 151


def test_a_strict_import_that_was_committed_is_carried_out_whatever_its_size(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be from before there was a limit."""
    monkeypatch.setattr(import_job, "MOST_STRICT", 5)
    id = begin(service, write_archive(tmp_path / "a.pgn", 6, "katruji"), ImportMode.STRICT)
    service.imports.commit(service.imports.load(id))
    while take_hint(service):
        pass
    assert view(service, id)["state"] == "done"
    assert len(service.log.streams("game")) == 6


@pytest.mark.parametrize("small", [True, False])
def test_small_plain_files_alone_are_read_without_helpers(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    asked: list[bool] = []
    helpers = import_job.start_helpers

    def noted(parse: Any, *, small: bool) -> object:
        asked.append(small)
        return helpers(parse, small=small)

    monkeypatch.setattr(import_job, "start_helpers", noted)
    make: Callable[[int], bytes] = HOSTILE["line feeds behind tags"]
    content = b"*\n" if small else make(1 << 20)
    id = begin(service, write(tmp_path, content))
    carry_out(id, service, service.jobs, FUNCTIONS)
    assert asked == [small]
