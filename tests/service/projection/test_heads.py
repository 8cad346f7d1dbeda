"""A log that has lost its last events, as in a failover: the lists are mended."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from service.composition.projector import compose_projector_process, mend
from service.composition.service import Service, compose, now
from service.game.repository import stream_of
from service.projection.checkpoints import read_checkpoints, write_checkpoints
from service.projection.errors import LogBehind
from service.projection.games.query import Query
from service.projection.heads import check_heads, find_ahead
from service.projection.losses import Losses
from service.projection.projector import Projector
from service.projection.puzzles.puzzles import write_collection
from service.settings import read_settings
from tests.service.projection.support import (
    create,
    dump,
    end,
    listed,
    play,
    project,
    project_service,
    rebuild,
)
from tests.service.redis_server import RedisServer
from tests.waiting import eventually, join

FOLDER = "appendonlydir"


class Snapshot:
    """What a server had stored at a moment."""

    def __init__(self, server: RedisServer) -> None:
        self.server = server
        server.kill()
        self.kept = server.folder / "kept"
        shutil.copytree(server.folder / FOLDER, self.kept)
        server.start()

    def restore(self) -> None:
        """Restore that on the server; everything since is lost."""
        self.server.kill()
        shutil.rmtree(self.server.folder / FOLDER)
        shutil.copytree(self.kept, self.server.folder / FOLDER)
        self.server.start()


@pytest.fixture
def environment(durable: RedisServer, tmp_path: Path, database_url: str | None) -> dict[str, str]:
    return {
        "MOVELOG_REDIS_URL": durable.url,
        "MOVELOG_DATA_DIR": str(tmp_path),
        "MOVELOG_DATABASE_URL": database_url or "",
    }


@pytest.fixture
def running(environment: dict[str, str]) -> Iterator[None]:
    """A projector's process that runs during the test."""
    stop = Event()
    process = compose_projector_process(compose(read_settings(environment)))
    thread = Thread(target=process.run, args=(stop,))
    thread.start()
    yield
    stop.set()
    join(thread)


def lose_the_last(service: Service, durable: RedisServer) -> None:
    """List games whose last events the log then loses."""
    create(service.games, "kept")
    create(service.games, "shorter")
    play(service.games, "shorter")
    snapshot = Snapshot(durable)
    end(service.games, "shorter", "1-0")
    create(service.games, "lost")
    project_service(service)
    assert set(listed(service.database)) == {"lost", "shorter", "kept"}
    snapshot.restore()


def check_mended(service: Service) -> None:
    # The projector writes the collection when it starts, after mending.
    write_collection(service.database)
    before = dump(service.database)
    rebuild(service.games, service.database, puzzles=service.puzzle_ratings)
    after = dump(service.database)
    assert {name: before[name] for name in after} == after


def test_what_the_log_has_and_what_was_archived_is_not_lost(service: Service) -> None:
    assert find_ahead(service.log, service.log.feed_positions()) == []
    create(service.games, "a")
    play(service.games, "a", 3)
    project_service(service)
    check_heads(service.log, service.database)
    # Trimming a feed up to its newest pointer loses nothing.
    known = service.database.read(read_checkpoints)
    play(service.games, "a", 1)
    for partition in known:
        service.store.xtrim(f"movelog:{{p{partition}}}:feed", maxlen=1, approximate=False)
    assert find_ahead(service.log, known) == []


def test_lists_ahead_of_the_log_are_noticed_at_the_start(
    service: Service, durable: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    lose_the_last(service, durable)
    with pytest.raises(LogBehind) as raised:
        check_heads(service.log, service.database)
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        mend(service)
    assert caplog.messages == [str(raised.value)]


@pytest.mark.slow
@pytest.mark.parametrize("goes_on", [False, True], ids=["nothing came since", "more came since"])
def test_lists_ahead_of_the_log_are_mended(
    service: Service,
    durable: RedisServer,
    request: pytest.FixtureRequest,
    *,
    goes_on: bool,
) -> None:
    lose_the_last(service, durable)
    if goes_on:
        # At the versions of what was lost, but later by the clock.
        play(service.games, "shorter", 2)
        create(service.games, "lost", first="somebody", second="else")
    request.getfixturevalue("running")
    expected = {"kept", "shorter"} | ({"lost"} if goes_on else set())
    eventually(lambda: set(listed(service.database)) == expected)
    eventually(lambda: find_ahead(service.log, service.database.read(read_checkpoints)) == [])
    assert set(listed(service.database, status="finished")) == set()
    check_mended(service)


def test_a_failover_while_a_projector_runs_is_noticed(
    service: Service, durable: RedisServer, running: None
) -> None:
    create(service.games, "kept")
    snapshot = Snapshot(durable)
    create(service.games, "lost")
    eventually(lambda: set(listed(service.database)) == {"kept", "lost"})
    losses = Losses(service.store, now)
    assert losses.last() == 0
    snapshot.restore()
    create(service.games, "new")
    eventually(lambda: set(listed(service.database)) == {"kept", "new"})
    assert 0 < now() - losses.last() < 60_000, "still known after the lists were mended"
    end(service.games, "new")
    eventually(lambda: listed(service.database, status="finished") == ["new"])


def test_a_loss_is_noticed_before_the_lists_go_on_behind_it(
    service: Service, durable: RedisServer, request: pytest.FixtureRequest
) -> None:
    create(service.games, "kept")
    own = service.log.partition(stream_of("kept"))
    lost = next(
        id
        for id in map("lost{}".format, range(10_000))
        if service.log.partition(stream_of(id)) == own
    )
    projector = Projector(service.games, service.database)
    project(projector)
    snapshot = Snapshot(durable)
    create(service.games, lost)
    project(projector)
    snapshot.restore()
    play(service.games, "kept", 1)
    with pytest.raises(LogBehind):
        project(projector)
    # The next start notices it, although the feed has grown beyond what was lost.
    assert find_ahead(service.log, service.database.read(read_checkpoints)) == [own]
    request.getfixturevalue("running")
    eventually(lambda: listed(service.database) == ["kept"])
    check_mended(service)


def test_a_game_that_is_shorter_than_its_row_is_noticed_when_it_goes_on(
    service: Service, durable: RedisServer
) -> None:
    """The row was read beyond what the feed had named, so no checkpoint shows the loss."""
    create(service.games, "a")
    project_service(service)
    known = service.database.read(read_checkpoints)
    snapshot = Snapshot(durable)
    play(service.games, "a", 3)
    projector = Projector(service.games, service.database)
    project(projector)
    snapshot.restore()
    play(service.games, "a", 1)
    service.database.write(lambda connection: write_checkpoints(connection, known))
    assert find_ahead(service.log, known) == []
    fresh = compose(service.settings)
    with pytest.raises(LogBehind):
        project(Projector(fresh.games, fresh.database))
    # The next start notices it, too.
    assert find_ahead(service.log, service.database.read(read_checkpoints)) != []
    rebuild(fresh.games, fresh.database)
    assert find_ahead(service.log, service.database.read(read_checkpoints)) == []
    [game] = service.search.page(Query()).games
    assert game.plies == 1
