"""A rebuild while games are played and imported: readers see one consistent state after another."""

from __future__ import annotations

import io
import json
from collections import Counter
from itertools import count
from threading import Event, Thread
from typing import NamedTuple

import pytest
from sqlalchemy import Connection, select

from service.composition.projector import compose_projector_process, rebuild
from service.composition.service import Service
from service.ids import new_id
from service.imports.state import ImportMode
from service.projection.database.tables import GAME, GAME_PLAY, GAME_POSITION, HELD_GAME, SEAT
from tests.service.imports.support import GOOD, work
from tests.service.projection.support import create, dump_by_ids, end, play, project_service
from tests.waiting import PATIENCE, join

GAMES = 40
RECORDS = 5
"""Games in each import."""
REBUILDS = 2


class Snapshot(NamedTuple):
    """What one query found: games by number, which of them are finished, and what those have.

    `held` are games of strict imports that nobody may see yet; `strict` counts the visible games of
    each such import.
    """

    games: dict[int, str]
    finished: set[int]
    seated: set[int]
    played: set[int]
    placed: set[int]
    plies: dict[int, int]
    held: set[int]
    strict: Counter[str]


def take_snapshot(connection: Connection) -> Snapshot:
    """Read several tables in one query."""

    def numbers(column: object) -> set[int]:
        return set(connection.execute(select(column).distinct()).scalars())  # type: ignore[call-overload]

    at = GAME.c
    chosen = select(at.number, at.id, at.status, at.plies, at.tags)
    rows = connection.execute(chosen).all()
    tags = [json.loads(row.tags) for row in rows]
    return Snapshot(
        {row.number: row.id for row in rows},
        {row.number for row in rows if row.status == "finished"},
        numbers(SEAT.c.number),
        numbers(GAME_PLAY.c.number),
        numbers(GAME_POSITION.c.number),
        {row.number: row.plies for row in rows},
        numbers(HELD_GAME.c.number),
        Counter(one["Round"] for one in tags if one.get("Event") == ImportMode.STRICT),
    )


def check_snapshot(now: Snapshot, before: Snapshot | None) -> None:
    """Fail unless the tables agree with each other and nothing is older than before."""
    assert not now.held & now.games.keys()
    assert now.finished == now.played - now.held == now.placed - now.held
    assert set(now.strict.values()) <= {RECORDS}
    assert now.seated == set(now.games)
    if before is not None:
        assert before.games.items() <= now.games.items()
        assert before.finished <= now.finished
        assert all(now.plies[number] >= plies for number, plies in before.plies.items())


class Playing:
    """Begins, plays, ends, imports and reads games in threads until it is over."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.over = Event()
        self.snapshots = 0
        self.failures: list[BaseException] = []
        tasks = (self.play, self.import_records, self.read, self.project)
        self.threads = [Thread(target=self.run, args=(task,), name=task.__name__) for task in tasks]

    def run(self, task: object) -> None:
        try:
            task()  # type: ignore[operator]
        except BaseException as error:
            self.failures.append(error)
            self.over.set()

    def play(self) -> None:
        for number in count():
            if self.over.wait(0.02):
                return
            id = new_id()
            create(self.service.games, id)
            play(self.service.games, id, 3)
            if number % 2:
                end(self.service.games, id, "1-0")

    def import_records(self) -> None:
        imports = self.service.imports
        for number in count():
            if self.over.wait(0.05):
                return
            mode = ImportMode.STRICT if number % 2 else ImportMode.QUARANTINE
            tags = f'[Event "{mode}"]\n[Round "{number}"]\n'
            text = "\n\n".join(
                tags + GOOD.replace('"A"', f'"A {number}"').replace('"B"', f'"B {n}"')
                for n in range(RECORDS)
            )
            with imports.uploads.receive(io.BytesIO(text.encode())) as received:
                imports.begin(new_id(), received, mode, "ann", None)
            work(self.service)

    def read(self) -> None:
        before = None
        while not self.over.is_set():
            now = self.service.database.read(take_snapshot)
            check_snapshot(now, before)
            before = now
            self.snapshots += 1

    def project(self) -> None:
        compose_projector_process(self.service).run(self.over)


@pytest.mark.slow
def test_readers_see_one_whole_state_after_the_other(service: Service) -> None:
    for id in [new_id() for _ in range(GAMES)]:
        create(service.games, id)
        play(service.games, id, 4)
        end(service.games, id, "1-0")
    project_service(service)
    playing = Playing(service)
    for thread in playing.threads:
        thread.start()
    try:
        generations = set()
        for _ in range(REBUILDS):
            generations.add(service.database.store.current())
            rebuild(service)
    finally:
        playing.over.set()
        join(*playing.threads)
    assert playing.failures == []
    assert len(generations) == REBUILDS
    assert playing.snapshots > REBUILDS
    # What came during the rebuilds is there, as a rebuild would write it.
    project_service(service)
    assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)
    found = dump_by_ids(service.database)
    assert len(found["game"]) > GAMES
    assert len(found["import"]) > 0
    assert found["held_game"] == []
    assert service.database.read(take_snapshot).strict
    rebuild(service)
    assert dump_by_ids(service.database) == found
