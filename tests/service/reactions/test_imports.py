from __future__ import annotations

import errno
import io
import json
from collections.abc import Iterator

import pytest

from service.composition.service import Service, now
from service.game.terms import DAY
from service.ids import new_id
from service.imports.repository import stream_of
from service.imports.state import ImportEnding, ImportMode
from service.jobs.job import JobState
from service.jobs.job_kinds import DELIVERY
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import LEASE, TRIES, Jobs
from service.log.interface import FEED_START
from service.projection.imports import ImportProjection
from service.reactions.imports import FinishedImportFollower
from service.reactions.quarantined_jobs import QuarantinedJobHandler
from service.webhooks.webhook import IMPORT_FINISHED
from tests.service.imports.support import GOOD, ILLEGAL, work
from tests.service.redis_server import RedisServer
from tests.service.unreadable import make_unreadable
from tests.workers.support import service_on
from workers import import_job
from workers.job_functions import FUNCTIONS
from workers.run import carry_out


@pytest.fixture
def service(redis_server: RedisServer) -> Iterator[Service]:
    made = service_on(redis_server)
    yield made
    made.store.close()


def begin(
    service: Service, text: str = GOOD + "\n" + ILLEGAL, mode: ImportMode = ImportMode.QUARANTINE
) -> str:
    """A queued import by Ann, who has a webhook."""
    by = service.players.register("Ann", None).id
    service.webhooks.register(by, "https://example.org/hook", (IMPORT_FINISHED,), False)
    id = new_id()
    with service.imports.uploads.receive(io.BytesIO(text.encode())) as received:
        service.imports.begin(id, received, mode, by, None)
    return id


def follow(service: Service, id: str) -> None:
    """Project what the feed says of an import, and let the follower act on it."""
    partition = service.log.partition(stream_of(id))
    pointers = [p for p in service.log.feed(partition, FEED_START) if p.stream == stream_of(id)]
    service.database.write(ImportProjection(service.imports).prepare(pointers))
    FinishedImportFollower(service.imports, service.announcer).follow(pointers)


def told(service: Service) -> list[dict[str, object]]:
    """The data of the deliveries that wait."""
    jobs = [service.jobs.get(id) for id in service.jobs.due()]
    bodies = [json.loads(job.arguments["body"]) for job in jobs if job.kind == DELIVERY]
    assert all(body["event"] == IMPORT_FINISHED for body in bodies)
    return [body["data"] for body in bodies]


def test_an_import_that_is_done_is_announced_once(service: Service) -> None:
    id = begin(service)
    follow(service, id)
    assert told(service) == []
    work(service)
    for _ in range(2):
        follow(service, id)
    counts = {"accepted": 1, "quarantined": 1}
    assert told(service) == [{"import": id, "state": "done", "counts": counts, "reason": ""}]


def test_an_import_that_ended_long_ago_is_announced_to_nobody(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restored log is followed from its beginning."""
    id = begin(service)
    work(service)
    monkeypatch.setattr(service.imports, "clock", lambda: now() + 2 * DAY)
    follow(service, id)
    assert told(service) == []


def test_a_refused_and_a_cancelled_import_are_announced_as_others_are(service: Service) -> None:
    refused = begin(service, mode=ImportMode.STRICT)
    work(service)
    follow(service, refused)
    cancelled = begin(service)
    service.imports.cancel(cancelled)
    follow(service, cancelled)
    assert {(one["import"], one["state"]) for one in told(service)} == {
        (refused, "refused"),
        (cancelled, "cancelled"),
    }


def test_an_import_that_cannot_be_read_keeps_no_other_from_being_told_of(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = begin(service), begin(service)
    work(service)
    make_unreadable(service.imports, bad, monkeypatch)
    follow(service, bad)
    assert told(service) == []
    follow(service, good)
    assert [one["import"] for one in told(service)] == [good]


def test_an_import_whose_job_fails_for_good_ends_and_says_why(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = begin(service)

    def fail(run: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(import_job.ImportRun, "run", fail)
    for tries in range(1, TRIES + 1):
        assert service.imports.load(id).ended is None
        carry_out(id, service, service.jobs, FUNCTIONS)
        assert service.jobs.get(id).tries == tries
    assert service.jobs.get(id).state is JobState.FAILED
    shown = service.imports.view(service.imports.load(id))
    assert shown["state"] == ImportEnding.FAILED
    assert shown["ended_at"] is not None
    assert "Input/output error" in shown["reason"]
    follow(service, id)
    assert [one["state"] for one in told(service)] == ["failed"]


def test_an_import_that_no_worker_survives_ends_and_says_why(service: Service) -> None:
    id = begin(service)
    queue = JobQueue(Jobs(service.store, lambda: service.jobs.clock() + LEASE), service.store)
    handler = QuarantinedJobHandler(queue, service.imports, service.tournaments)
    reconciler = Reconciler(queue, handler.handle)
    for _ in range(TRIES):
        assert service.imports.load(id).ended is None
        assert service.jobs.claim(id, "dies") is not None
        reconciler.run()
    assert service.jobs.get(id).state is JobState.QUARANTINED
    shown = service.imports.view(service.imports.load(id))
    assert (shown["state"], shown["reason"]) == ("failed", "its worker died or hung 3 of 3 times")
