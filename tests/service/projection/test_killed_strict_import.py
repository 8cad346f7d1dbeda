"""A projector that is killed at any point of a strict import shows all of its games or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from service.composition.projector import rebuild
from service.composition.service import Service
from service.projection.games.query import Query
from tests.service.projection.killed import project, run_killed
from tests.service.projection.strict import AT_START, StrictImport, count_seen
from tests.service.projection.support import dump_by_ids, project_service
from tests.waiting import eventually, join

GAMES = 100
"""Enough games that their positions have sums."""
EVERY = 8


class Reader:
    """Queries the games again and again; `seen` has the number that each answer gave, in order."""

    def __init__(self, service: Service) -> None:
        everything = Query(variant="katruji")
        self.questions: list[Callable[[], int]] = [
            lambda: len(service.search.page(everything, limit=1000).games),
            lambda: service.search.count(AT_START).games,
            lambda: service.explorer.explore(AT_START).total.games,
        ]
        self.seen: list[int] = []
        self.failures: list[Exception] = []
        self.over = Event()

    def read(self) -> None:
        while not self.over.is_set():
            try:
                self.seen += [ask() for ask in self.questions]
            except Exception as error:
                self.failures.append(error)
                return


@contextmanager
def reading(service: Service) -> Iterator[Reader]:
    reader = Reader(service)
    thread = Thread(target=reader.read, name="reader")
    thread.start()
    try:
        yield reader
    finally:
        reader.over.set()
        join(thread)


@pytest.mark.slow
def test_readers_see_none_or_all_whenever_it_is_killed(
    environment: dict[str, str], service: Service
) -> None:
    # Something is listed already, so the projector does not begin with a rebuild.
    project_service(service)
    strict = StrictImport(service, GAMES)
    project_service(service)
    with reading(service) as reader:
        ids = strict.take_in(GAMES // 2)
        kills = list(run_killed(environment, project, EVERY))
        ids += strict.take_all_in()
        kills += run_killed(environment, project, EVERY)
        assert len(kills) > 3
        told = len(reader.seen)
        eventually(lambda: len(reader.seen) > told + 2 * len(reader.questions))
    assert reader.failures == []
    assert set(reader.seen) == {0, GAMES}
    # What was seen once does not disappear.
    assert reader.seen == sorted(reader.seen)
    assert count_seen(service, ids) == {GAMES}
    found = dump_by_ids(service.database)
    rebuild(service)
    assert dump_by_ids(service.database) == found
