from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
import redis

from service.composition.projector import compose_projector_process
from service.composition.service import Service, compose, now
from service.jobs.job import JobState
from service.jobs.store import Jobs
from service.projection.games.query import Query
from service.reactions.process import Building, Interval, ProjectorProcess
from service.settings import read_settings
from tests.service.projection.support import create, end
from tests.service.redis_server import RedisServer

PATIENCE = 90.0


def service_on(server: RedisServer, queue: str | None = None) -> Service:
    """The service's parts on a server, with the queue perhaps elsewhere."""
    environ = {"MOVELOG_DATA_DIR": str(server.folder), "MOVELOG_REDIS_URL": server.url}
    return compose(read_settings(environ | ({"MOVELOG_QUEUE_URL": queue} if queue else {})))


@contextmanager
def projecting(service: Service) -> Iterator[None]:
    """A projector that runs while the context lasts, and must then stop cleanly."""
    stop = Event()
    thread = Thread(target=compose_projector_process(service).run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


def projected(service: Service) -> bool:
    """Wait until everything written is projected; False if that takes too long."""
    return service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)


@pytest.mark.slow
def test_games_are_listed_and_their_scoring_is_queued(durable: RedisServer) -> None:
    service = service_on(durable)
    with projecting(service_on(durable)):
        create(service.games, "a")
        assert projected(service)
        end(service.games, "a", "1-0")
        assert projected(service)
        create(service.games, "b")
        assert projected(service)
    assert [game.id for game in service.search.page(Query()).games] == ["b", "a"]
    assert Jobs(service.store, now).counts()[JobState.QUEUED] == 1


def test_a_projector_outlives_its_store(durable: RedisServer) -> None:
    service = service_on(durable)
    with projecting(service_on(durable)):
        create(service.games, "a")
        assert projected(service)
        durable.kill()
        with pytest.raises(redis.RedisError):
            service.store.ping()
        durable.start()
        create(service.games, "b")
        assert projected(service)
        assert len(service.search.page(Query()).games) == 2


def test_a_projector_stops_while_its_store_is_away(durable: RedisServer) -> None:
    service = service_on(durable)
    with projecting(service):
        create(service.games, "a")
        assert projected(service)
        durable.kill()
    durable.start()


@pytest.mark.parametrize("failing", ["reconcile", "tidy"])
def test_an_outage_is_logged_without_a_traceback(
    failing: str, caplog: pytest.LogCaptureFixture
) -> None:
    stop = Event()

    class Idle:
        def step(self, timeout: float) -> int:
            if caplog.records:
                stop.set()
            return 0

        def retry_dead_letters(self) -> None:
            pass

    def do(task: str) -> None:
        if task == failing:
            raise redis.ConnectionError("nobody is there")

    ProjectorProcess(
        lambda stopping: Idle(),
        lambda: None,
        lambda: do("reconcile"),
        (redis.RedisError,),
        tidy=lambda: do("tidy"),
    ).run(stop)
    (told,) = caplog.records
    assert told.getMessage().endswith("nobody is there")
    assert not told.exc_info


def test_the_lists_go_on_while_the_queue_is_away(durable: RedisServer) -> None:
    service = service_on(durable, queue=f"unix://{durable.folder / 'nothing.sock'}")
    with projecting(service):
        create(service.games, "a")
        end(service.games, "a")
        assert projected(service)
        create(service.games, "b")
        assert projected(service)
    # The job is stored all the same, until the queue is back.
    assert Jobs(service.store, now).counts()[JobState.QUEUED] == 1


def test_what_is_to_be_built_anew_is_built_while_the_process_runs() -> None:
    stop, lost, built = Event(), Event(), Event()

    class Idle:
        def step(self, timeout: float) -> int:
            lost.set()
            if built.is_set():
                stop.set()
            return 0

        def retry_dead_letters(self) -> None:
            pass

    def check() -> None:
        if lost.is_set() and not built.is_set():
            raise redis.RedisError

    def prepare(stopping: Callable[[], bool]) -> Building | None:
        due = lost.is_set() and not built.is_set()
        return Building(built.set, lambda seconds: None) if due else None

    process = ProjectorProcess(
        lambda stopping: Idle(),
        lambda: None,
        lambda: None,
        (redis.RedisError,),
        prepare=prepare,
        check=check,
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("service.reactions.process.CHECK", 0.01)
        process.run(stop)
    assert built.is_set()


def test_an_interval_runs_at_once_and_then_not_before_its_time() -> None:
    often, seldom = [], []
    intervals = (Interval(lambda: often.append(1), 0), Interval(lambda: seldom.append(1), 3600))
    for _ in range(3):
        for each in intervals:
            each.run_if_due()
    assert (len(often), len(seldom)) == (3, 1)
