"""The first start with an archive whose lists were in Redis, or with a database of another log."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest
import redis

from service.composition.projector import compose_projector_process, rebuild
from service.composition.service import Service
from service.jobs.job import JobState
from service.jobs.job_kinds import SCORING
from service.jobs.queue import JobQueue
from service.projection.database.database import Database
from service.projection.errors import RebuildStopped
from service.projection.projector import Projector
from service.projection.reaction_progress import REACTED, StoredReactionProgress
from service.projection.rebuild import Rebuild
from service.projection.takeover import needs_rebuild, remove_old_indexes
from service.reactions.process import Building, ProjectorProcess
from tests.service.projection.support import (
    count_generations,
    create,
    dump,
    end,
    listed,
    project_service,
    projector_of,
)
from tests.waiting import PATIENCE, eventually, join

OLD = {
    "movelog:{index}:current": "3",
    "movelog:{index}:g3:games": "x",
    "movelog:{index}:g3:next:00ff": "x",
    "movelog:{index}:parked": "x",
}


def run_projector(service: Service) -> None:
    """Run the projector's process until there is nothing left to do."""
    stop = Event()
    thread = Thread(target=compose_projector_process(service).run, args=(stop,))
    thread.start()
    assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)
    progress, partitions = StoredReactionProgress(service.store), service.log.partitions
    eventually(lambda: progress.load(partitions) == service.log.feed_positions())
    stop.set()
    join(thread)


def scored(service: Service) -> set[str]:
    """The games in queued jobs."""
    return {game for id in service.jobs.due() for game in service.jobs.get(id).arguments["games"]}


def needs(service: Service) -> bool:
    return needs_rebuild(service.games, service.database)


@pytest.fixture
def old(service: Service) -> Service:
    """An archive of an earlier version, with old indexes and a game that was not reacted to."""
    create(service.games, "a")
    end(service.games, "a", "1-0")
    reached = service.log.feed_positions()
    service.store.hset(REACTED, mapping={str(p): position for p, position in reached.items()})
    create(service.games, "b")
    end(service.games, "b", "0-1")
    service.store.mset(OLD)
    return service


def test_an_archive_of_an_earlier_version_is_taken_over_at_the_first_start(old: Service) -> None:
    assert needs(old)
    run_projector(old)
    assert listed(old.database) == ["b", "a"]
    assert old.store.exists(*OLD) == 0
    # What was reacted to before is not repeated: there is one job, for the other game.
    assert old.jobs.counts()[JobState.QUEUED] == 1
    [id] = old.jobs.due()
    assert old.jobs.get(id).arguments["games"] == ["b"]


def test_lists_that_a_killed_rebuild_has_replaced_are_removed(
    old: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebuild(old)
    with monkeypatch.context() as patch:
        # As if the process were killed just before it.
        patch.setattr(Database, "remove_replaced", lambda database: None)
        rebuild(old)
    assert count_generations(old.database) == 2
    run_projector(old)
    assert count_generations(old.database) == 1
    assert listed(old.database) == ["b", "a"]


@pytest.mark.slow
def test_duties_do_not_wait_until_the_lists_are_built(
    old: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release = Event(), Event()
    fill = Rebuild._fill_games

    def fill_later(rebuild: Rebuild, built: Database) -> int:
        begun.set()
        assert release.wait(PATIENCE)
        return fill(rebuild, built)

    monkeypatch.setattr(Rebuild, "_fill_games", fill_later)
    queue = JobQueue(old.jobs, old.store)
    stop = Event()
    thread = Thread(target=compose_projector_process(old).run, args=(stop,))
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        # A game that had ended before, one that ends now, and a job whose hint was lost.
        eventually(lambda: "b" in scored(old))
        create(old.games, "c")
        end(old.games, "c", "1-0")
        eventually(lambda: "c" in scored(old))
        old.jobs.create("lost", SCORING, {"games": ["a"]})
        eventually(lambda: "lost" in queue.hinted())
        assert listed(old.database) == []
        release.set()
        eventually(lambda: listed(old.database) == ["c", "b", "a"])
        progress, partitions = StoredReactionProgress(old.store), old.log.partitions
        eventually(lambda: progress.load(partitions) == old.log.feed_positions())
    finally:
        release.set()
        stop.set()
        join(thread)
    # A game in two jobs is scored once: the second job has nothing to do.
    assert scored(old) == {"a", "b", "c"}


def test_a_log_that_is_away_for_a_moment_ends_no_rebuild(service: Service) -> None:
    built, failed = Event(), Event()

    def react(timeout: float) -> None:
        if not failed.is_set():
            failed.set()
            raise redis.ConnectionError

    def build() -> None:
        assert failed.wait(PATIENCE)
        built.set()

    def start(stopping: Callable[[], bool]) -> Projector:
        assert built.is_set()
        stop.set()
        return projector_of(service.games, service.database)

    stop = Event()
    process = ProjectorProcess(
        start,
        lambda: None,
        lambda: None,
        (redis.RedisError,),
        prepare=lambda stopping: None if built.is_set() else Building(build, react),
    )
    process.run(stop)
    assert stop.is_set()


def test_rebuild_takes_it_over_as_well(old: Service) -> None:
    told: list[tuple[int, int]] = []
    assert rebuild(old, lambda done, total: told.append((done, total))) == 2
    assert told == [(2, 2)]
    assert listed(old.database) == ["b", "a"]
    assert old.store.exists(*OLD) == 0
    assert old.store.exists(REACTED)


def test_nothing_else_is_deleted(old: Service) -> None:
    before = set(old.store.keys())
    assert remove_old_indexes(old.store) == len(OLD)
    assert before - set(old.store.keys()) == {key.encode() for key in OLD}
    assert remove_old_indexes(old.store) == 0


def test_an_empty_log_and_one_that_is_projected_need_no_rebuild(service: Service) -> None:
    assert not needs(service)
    create(service.games, "a")
    assert needs(service)
    project_service(service)
    assert not needs(service)
    create(service.games, "b")
    assert not needs(service)


def test_a_database_of_another_log_is_built_anew(service: Service) -> None:
    create(service.games, "a")
    end(service.games, "a", "1-0")
    project_service(service)
    service.store.flushall()
    assert needs(service)
    create(service.games, "b")
    rebuild(service)
    assert listed(service.database) == ["b"]
    assert dump(service.database, "game_position")["game_position"] == []
    assert not needs(service)


def test_a_rebuild_whose_process_is_to_stop_leaves_the_old_rows(service: Service) -> None:
    create(service.games, "a")
    project_service(service)
    create(service.games, "b")

    def stop(done: int, total: int) -> None:
        raise RebuildStopped

    with pytest.raises(RebuildStopped):
        rebuild(service, stop)
    assert listed(service.database) == ["a"]
    project_service(service)
    assert listed(service.database) == ["b", "a"]
