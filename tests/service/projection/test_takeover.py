"""The first start with an archive whose lists were in Redis, or whose database does not fit it."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from service.composition import Service, compose_projector_process, rebuild
from service.jobs.job import JobState
from service.projection.errors import RebuildStopped
from service.projection.reacted import REACTED, StoredReacted
from service.projection.takeover import needs_rebuild, remove_old_indexes
from tests.service.projection.support import create, dump, end, listed, project_service
from tests.waiting import PATIENCE, eventually, join

OLD = {
    "movelog:{index}:current": "3",
    "movelog:{index}:g3:games": "x",
    "movelog:{index}:g3:next:00ff": "x",
    "movelog:{index}:parked": "x",
}


def run_projector(service: Service) -> None:
    """Let the projector's process do all there is."""
    stop = Event()
    thread = Thread(target=compose_projector_process(service).run, args=(stop,))
    thread.start()
    assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)
    reacted, partitions = StoredReacted(service.store), service.log.partitions
    eventually(lambda: reacted.load(partitions) == service.log.feed_positions())
    stop.set()
    join(thread)


def needs(service: Service) -> bool:
    return needs_rebuild(service.games, service.database)


@pytest.fixture
def old(service: Service) -> Service:
    """An archive of an earlier version: games, one of them not reacted to, and old indexes."""
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
    # What was reacted to before is not again: one job, about the other game.
    assert old.jobs.counts()[JobState.QUEUED] == 1
    [id] = old.jobs.due()
    assert old.jobs.get(id).arguments["games"] == ["b"]


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
