"""A large import and its projector: how soon the lists are complete, and what kills do to them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, NamedTuple, Self

import pytest
import requests

from service.composition.projector import list_projections
from service.composition.service import Service, compose
from service.projection.rebuild import Rebuild
from service.settings import read_settings
from tests.end_to_end.conftest import Start
from tests.end_to_end.running import Running, descendants
from tests.end_to_end.test_import_soak import Followed, SlowDisk, projected
from tests.generated import Archive, write_archive
from tests.service.postgresql import find_programs, running_postgresql
from tests.service.projection.support import dump_by_ids
from tests.stopping import stopped
from tests.waiting import eventually, join, patiently

STRICT, FEW, MANY = 150, 1500, 20_000
FEW_KILLS, KILLS = 4, 20
STRICT_KILLS = 6
"""The service gives up a projector that ends eight times in a row, each within a second."""
SOON = 20.0
"""Seconds after a large import within which the lists are complete."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The value of MOVELOG_DATABASE_URL; empty for SQLite."""
    if request.param == "sqlite":
        yield ""
        return
    programs = find_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL here: install your system's package postgresql")
    with running_postgresql(programs) as server:
        yield server.empty()


def listed(running: Running) -> int:
    """The projection lag."""
    lag: int = running.session.get(f"{running.url}/readyz").json()["projection_lag"]
    return lag


def check_rows(service: Service, games: int) -> None:
    """The rows equal those of a rebuild, with none doubled or missing."""
    before = dump_by_ids(service.database)
    assert len(before["game"]) == games == len(service.log.streams("game"))
    assert len({row[0] for row in before["game"]}) == games
    projections, puzzles = list_projections(service), service.puzzle_ratings
    Rebuild(service.games, service.database, projections, puzzles=puzzles).run()
    after = dump_by_ids(service.database)
    tables = [name for name in before if not name.startswith(("rating", "dead"))]
    for name in tables:
        assert before[name] == after[name], name


class Kills(NamedTuple):
    """How many times a projector was killed in all, and during the import."""

    all: int
    during: int


def import_through_kills(
    start: Start, folder: Path, database_url: str, games: int, most: int
) -> Kills:
    """Import this many games, killing the projector whenever it has made progress.

    It is killed at most `most` times, and never after it is done. The disk is slow until then, and
    the importer is paused while the projector starts again, or the import would end before the last
    kill.
    """
    disk = SlowDisk(folder)
    running = start(MOVELOG_DATABASE_URL=database_url, **disk.environment)
    settings = {"MOVELOG_DATA_DIR": str(running.data_dir), "MOVELOG_DATABASE_URL": database_url}
    service = compose(read_settings(settings))
    archive = write_archive(folder / "archive.pgn", games)
    random = Random(games)
    kills = during = 0

    def state() -> str:
        return str(running.get(f"/imports/{followed.view['id']}")["state"])

    def reached() -> object:
        return service.checkpoints.load(service.log.partitions)

    def has_moved(before: object) -> bool:
        return reached() != before

    def has_started(before: object, killed: int) -> bool:
        # With nothing to do, a new projector shows only by its process.
        idle = listed(running) == 0 and running.pid("projector") != killed
        return idle or has_moved(before)

    def goes_on(before: object) -> bool:
        """Wait for progress of the projector; False if it has nothing more to do."""
        for _ in patiently("the projector goes on"):
            if has_moved(before):
                return True
            if state() == "done" and listed(running) == 0:
                return False
        return False

    try:
        with stopped(descendants(running.pid("importer"))):
            followed = Followed(running, archive.file)
            # The beginning of the import is listed too, but only its games are progress.
            eventually(lambda: listed(running) == 0, "the beginning is listed")
            before = reached()
        with disk.slowed(0.05):
            while kills < most and goes_on(before):
                time.sleep(random.random() / 4)
                projector = running.pid("projector")
                running.kill("projector")
                kills += 1
                with stopped(descendants(running.pid("importer"))):
                    during += state() == "running"
                    before = reached()
                    eventually(partial(has_started, before, projector), "the projector starts")
                    before = reached()
        assert followed.ended() == {"accepted": games}
        print(f"{during} of {kills} kills during the import")
        projected(running)
        check_rows(service, games)
    finally:
        service.database.close()
        service.store.close()
    return Kills(kills, during)


def test_kills_during_an_import_double_nothing_and_lose_nothing(
    start: Start, tmp_path: Path, database_url: str
) -> None:
    kills = import_through_kills(start, tmp_path, database_url, FEW, FEW_KILLS)
    assert kills.all > 1
    assert kills.during


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_twenty_kills_during_a_large_import_double_nothing_and_lose_nothing(
    start: Start, tmp_path: Path, database_url: str
) -> None:
    assert import_through_kills(start, tmp_path, database_url, MANY, KILLS) == Kills(KILLS, KILLS)


class Watcher:
    """Queries lists, searches and the explorer again and again, in its own thread.

    `seen` has a set for each round of queries: the shares of all games that they returned.
    """

    def __init__(self, running: Running, archive: Archive) -> None:
        self.running = running
        self.seen: list[set[float]] = []
        self.failures: list[BaseException] = []
        self.over = Event()
        self.archive = archive
        self.thread = Thread(target=self._watch, name="watcher")

    def _watch(self) -> None:
        try:
            while not self.over.is_set():
                self.seen.append(set(self._ask()))
        except BaseException as error:
            self.failures.append(error)

    def _ask(self) -> Iterator[float]:
        with requests.Session() as session:

            def get(path: str, **parameters: str | int) -> Any:
                answer = session.get(f"{self.running.url}/api/v1{path}", params=parameters)
                assert answer.status_code == 200, answer.text
                return answer.json()

            # Games may appear between the queries of a round; each query sees one state.
            yield len(get("/games", limit=200)["items"]) / self.archive.games
            for variant, number in self.archive.variants.items():
                wanted = {"variant": variant, "fen": "start"}
                yield len(get("/search", limit=200, **wanted)["items"]) / number
                yield sum(get("/explorer", **wanted)["results"].values()) / number

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.over.set()
        join(self.thread)


def test_readers_see_none_or_all_of_a_strict_import(
    start: Start, tmp_path: Path, database_url: str
) -> None:
    running = start(MOVELOG_DATABASE_URL=database_url)
    archive = write_archive(tmp_path / "archive.pgn", STRICT)
    random = Random(STRICT)
    with Watcher(running, archive) as watcher:
        eventually(lambda: watcher.seen or watcher.failures)
        followed = Followed(running, archive.file, mode="strict")
        for _ in range(STRICT_KILLS):
            if followed.view["state"] not in ("queued", "running"):
                break
            time.sleep(random.random())
            running.kill("projector")
            followed.view = running.get(f"/imports/{followed.view['id']}")
        assert followed.ended() == {"accepted": STRICT}
        projected(running)
        told = len(watcher.seen)
        eventually(lambda: len(watcher.seen) > told + 1 or watcher.failures)
    assert watcher.failures == []
    assert watcher.seen[0] == {0}
    assert watcher.seen[-1] == {1}
    # They appeared during at most one round, and never disappeared again.
    changes = [one for one in watcher.seen if len(one) > 1]
    assert changes in ([], [{0, 1}])
    assert [min(one) for one in watcher.seen] == sorted(min(one) for one in watcher.seen)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mode", ["quarantine", "strict"])
def test_the_lists_are_complete_soon_after_a_large_import(
    start: Start, tmp_path: Path, database_url: str, mode: str
) -> None:
    running = start(MOVELOG_DATABASE_URL=database_url)
    archive = write_archive(tmp_path / "archive.pgn", MANY)
    followed = Followed(running, archive.file, mode)
    assert followed.ended() == {"accepted": MANY}
    ended = time.monotonic()
    left = listed(running)
    eventually(lambda: listed(running) == 0, pause=0.05)
    taken = time.monotonic() - ended
    print(f"the lists are complete {taken:.1f} s after the import's end, {left} changes later")
    counted = running.get("/search", limit=1, count="true")["count"]
    assert counted == {"games": MANY, "exact": True}
    assert taken <= SOON
