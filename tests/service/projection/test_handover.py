"""What importers hand over spares the projector a read, and never differs from the log."""

from __future__ import annotations

import io
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from engine.registry import VARIANTS
from notation.section import split_sections
from notation.writer import write
from service.game.commands import CorrectResult
from service.game.decide import create
from service.game.repository import Games, stream_of
from service.ids import derived_id
from service.imports.parsing import ValidRecord, parse_sections
from service.log.beginning import Beginning
from service.log.values import Append
from service.player.actor import Actor
from service.projection.database.database import Database
from service.projection.games.play import IndexedPositions, PositionIndex
from service.projection.games.query import Query
from service.projection.games.rows import make_rows
from service.projection.games.search import Search
from service.projection.handover import AGE, Handover
from service.projection.listed_fold import fold_for_lists, outline_game
from service.projection.projector import Projector
from service.storage import spare_file
from tests.games import records_of
from tests.service.projection.games.synthetic import make_record
from tests.service.projection.support import SCRIBE, dump, project, rebuild

IMPORTER = Actor("importer", frozenset({"play", "import"}))
SECRET = b"s" * 32


def parse(text: str) -> list[ValidRecord]:
    """The records of a file, indexed as by an importer's helpers."""
    parsed = parse_sections(list(split_sections(io.StringIO(text))), PositionIndex)
    return [one for one in parsed if isinstance(one, ValidRecord)]


def random_records(number: int, seed: int = 1) -> list[ValidRecord]:
    random = Random(seed)
    return parse("\n".join(write(make_record(random)) for _ in range(number)))


def import_records(
    games: Games, records: Sequence[ValidRecord], handover: Handover, name: str = "g"
) -> list[str]:
    """Import records as an importer does; returns their ids."""
    ids = [derived_id(b"", name, str(number)) for number in range(len(records))]

    def hand_over(requests: Sequence[Append]) -> None:
        handover.offer(
            (id, entry, record.indexed)
            for id, request, record in zip(ids, requests, records, strict=True)
            for entry in request.chained or ()
        )

    beginnings = [
        Beginning(stream_of(id), create(record.command, IMPORTER), {})
        for id, record in zip(ids, records, strict=True)
    ]
    assert all(games.create_imported(beginnings, IMPORTER.player, hand_over))
    return ids


@pytest.fixture
def handover(tmp_path: Path) -> Handover:
    """A handover that a projector has prepared."""
    made = Handover(tmp_path, SECRET)
    made.prepare()
    return made


@pytest.fixture
def read(games: Games, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the games that are read from the log."""
    noted: list[str] = []
    real = games.read_each

    def read_each(ids: Sequence[str]) -> object:
        noted.extend(ids)
        return real(ids)

    monkeypatch.setattr(games, "read_each", read_each)
    return noted


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_what_is_handed_over_is_what_the_log_makes(
    games: Games, handover: Handover, seed: int
) -> None:
    texts = "\n".join(records_of(variant).read_text() for variant in VARIANTS)
    records = [*parse(texts), *random_records(60, seed)]
    assert {record.command.variant for record in records} == set(VARIANTS)
    ids = import_records(games, records, handover)
    taken = handover.take(games.log, ids)
    assert list(taken) == ids
    merged = {"p1": ["p2"]}
    for id, entries in zip(ids, games.read_each(ids), strict=True):
        state = fold_for_lists(id, entries)
        assert state is not None
        assert outline_game(id, entries) == taken[id]
        assert taken[id].rows(merged) == make_rows(state, merged)
        assert (taken[id].plies, taken[id].score) == (state.plies, state.score)


def test_the_projector_reads_nothing_twice(
    games: Games, database: Database, handover: Handover, read: list[str]
) -> None:
    projector = Projector(games, database, handover=handover)
    empty = handover.path.stat().st_size
    import_records(games, random_records(30), handover)
    assert handover.path.stat().st_size > empty
    project(projector)
    assert read == []
    # What was taken is deleted, and its space is freed.
    assert handover.path.stat().st_size <= empty
    listed = dump(database)
    assert len(listed["game"]) == 30
    rebuild(games, database)
    assert dump(database) == listed


def test_a_game_that_is_handed_over_twice_is_written_once(
    games: Games, database: Database, handover: Handover
) -> None:
    records = random_records(5)
    ids = import_records(games, records, handover)
    project(Projector(games, database, handover=handover))
    before = dump(database)
    entries = games.read_each(ids)
    handover.offer(
        (id, entry, record.indexed)
        for id, record, (entry,) in zip(ids, records, entries, strict=True)
    )
    # As after a projector that died before it stored its checkpoints.
    again = Projector(games, database, handover=handover)
    again._reached = dict.fromkeys(again._reached, "0-0")
    project(again)
    assert dump(database) == before


def forget(handover: Handover) -> None:
    handover.path.unlink()


def damage(handover: Handover) -> None:
    handover.path.write_bytes(os.urandom(20_000))


def cut_short(handover: Handover) -> None:
    os.truncate(handover.path, handover.path.stat().st_size // 2)


def change(sql: str) -> Callable[[Handover], None]:
    def run(handover: Handover) -> None:
        with sqlite3.connect(handover.path) as database:
            assert database.execute(sql).rowcount > 0
        database.close()

    return run


def move_round(*columns: str) -> Callable[[Handover], None]:
    """Give each row these columns of another row."""

    def run(handover: Handover) -> None:
        with sqlite3.connect(handover.path) as database:
            rows = database.execute(f"SELECT {', '.join(columns)}, head FROM game").fetchall()
            others = [*rows[1:], rows[0]]
            database.executemany(
                f"UPDATE game SET {', '.join(f'{name} = ?' for name in columns)} WHERE head = ?",
                [(*other[:-1], row[-1]) for row, other in zip(rows, others, strict=True)],
            )
        database.close()

    return run


forge = change("""UPDATE game SET body = CAST(replace(body, '"at":', '"at":1') AS BLOB)""")
empty_out = change("DELETE FROM game")


@pytest.mark.parametrize(
    "spoil",
    [forget, damage, cut_short, forge, move_round("body"), move_round("body", "code"), empty_out],
    ids=["forgotten", "damaged", "cut", "forged", "bodies moved", "rows moved", "emptied"],
)
def test_what_cannot_be_trusted_is_read_from_the_log(
    games: Games,
    database: Database,
    handover: Handover,
    read: list[str],
    spoil: Callable[[Handover], None],
) -> None:
    projector = Projector(games, database, handover=handover)
    ids = import_records(games, random_records(8), handover)
    spoil(handover)
    project(projector)
    assert sorted(read) == sorted(ids)
    listed = dump(database)
    rebuild(games, database)
    assert dump(database) == listed
    # The next import is handed over again, after a minute at the latest.
    projector.retry_dead_letters()
    read.clear()
    import_records(games, random_records(8, seed=2), handover, "h")
    project(projector)
    assert read == []


def test_another_secret_and_other_code_are_not_believed(
    games: Games, handover: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Handover(handover.path.parent, b"t" * 32)
    theirs = import_records(games, random_records(3), stranger, "t")
    assert handover.take(games.log, theirs) == {}
    mine = import_records(games, random_records(3, seed=2), handover)
    assert list(handover.take(games.log, mine)) == mine
    monkeypatch.setattr(spare_file, "digest_release", lambda: "another version")
    other = Handover(handover.path.parent, SECRET)
    assert other.take(games.log, mine) == {}


def test_a_game_that_has_gone_on_is_read_from_the_log(
    games: Games, database: Database, handover: Handover, read: list[str]
) -> None:
    projector = Projector(games, database, handover=handover)
    ids = import_records(games, random_records(3), handover)
    ending = games.load(ids[1]).ending
    assert ending is not None
    result = "0-1" if ending.result == "1-0" else "1-0"
    command = CorrectResult(result=result, termination="adjudication", reason="misheard")
    games.execute(ids[1], command, SCRIBE)
    read.clear()
    assert list(handover.take(games.log, ids)) == [ids[0], ids[2]]
    project(projector)
    assert set(read) <= {ids[1]}
    listed = dump(database)
    found = {game.id: game.result for game in Search(database, budget=60).page(Query()).games}
    assert found[ids[1]] == result
    rebuild(games, database)
    assert dump(database) == listed


def test_nothing_is_handed_over_where_no_projector_has_run(games: Games, tmp_path: Path) -> None:
    made = Handover(tmp_path, SECRET)
    assert made.listener is None
    ids = import_records(games, random_records(2), made)
    assert made.take(games.log, ids) == {}
    assert not made.path.exists()
    made.remove(["0" * 64])
    prepared = Handover(tmp_path, SECRET)
    prepared.prepare()
    assert prepared.listener is PositionIndex
    assert prepared.path.stat().st_mode & 0o077 == 0


def test_what_nobody_takes_vanishes(
    games: Games, database: Database, handover: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(games, database, handover=handover)
    old = import_records(games, random_records(3), handover)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + AGE - 60)
    new = import_records(games, random_records(3, seed=2), handover, "n")
    assert list(handover.take(games.log, old + new)) == old + new
    monkeypatch.setattr(time, "time", lambda: real() + AGE + 60)
    projector.retry_dead_letters()
    assert list(handover.take(games.log, old + new)) == new


def test_the_file_has_a_limit(
    games: Games,
    database: Database,
    tmp_path: Path,
    read: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.projection.handover.MOST", 1 << 17)
    handover = Handover(tmp_path, SECRET)
    handover.prepare()
    projector = Projector(games, database, handover=handover)
    ids: list[str] = []
    for number in range(12):
        ids += import_records(games, random_records(10, number), handover, f"{number}g")
        assert handover.path.stat().st_size <= 1 << 17
    project(projector)
    assert 0 < len(read) < len(ids)
    assert len(dump(database)["game"]) == len(ids)


def test_a_disk_without_room_is_left_alone(
    games: Games, handover: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spare_file, "measure_spare_room", lambda folder: 0)
    ids = import_records(games, random_records(2), handover)
    assert handover.take(games.log, ids) == {}


def test_a_file_that_another_process_holds_is_not_waited_for(
    games: Games, database: Database, handover: Handover, read: list[str]
) -> None:
    projector = Projector(games, database, handover=handover)
    holder = sqlite3.connect(handover.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    ids = import_records(games, random_records(2), handover)
    project(projector)
    assert sorted(read) == sorted(ids)
    holder.close()


def test_an_index_has_each_position_and_what_stood_there() -> None:
    (record,) = parse(write(make_record(Random(5))))
    indexed: IndexedPositions = record.indexed
    assert len(indexed.keys) == len(record.command.actions.split()) + 1
    unheard = parse_sections(list(split_sections(io.StringIO(write(make_record(Random(5)))))))
    assert [one.indexed for one in unheard if isinstance(one, ValidRecord)] == [None]
