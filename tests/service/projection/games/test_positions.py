from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete

from notation.registry import find_dialect
from service.game.begin import find_initial_position
from service.game.commands import ImportRecord
from service.game.repository import Games
from service.game.state import GameState
from service.projection.database.database import Database
from service.projection.database.tables import CHECKPOINT
from service.projection.games.explorer import Explored, Explorer
from service.projection.games.keys import fen_key, material_key
from service.projection.games.play import play_of
from service.projection.games.query import Query
from service.projection.games.rows import make_rows
from service.projection.games.writer import GameWriter
from service.projection.projector import Projector
from tests.service.projection.support import (
    SCRIBE,
    correct,
    create,
    dump,
    end,
    listed,
    play,
    project,
    projector_of,
    rebuild,
    score,
)

KATRUJI = find_dialect("katruji")
START = KATRUJI.write_fen(KATRUJI.start({}))


@pytest.fixture
def projector(games: Games, database: Database) -> Projector:
    return projector_of(games, database)


def played(games: Games, id: str, plies: int = 4, result: str = "1-0") -> GameState:
    create(games, id)
    play(games, id, plies)
    return end(games, id, result)


def explored(database: Database, fen: str = START) -> dict[str, dict[str, int]]:
    return {one.action: one.tally.results for one in explore(database, fen).continuations}


def explore(database: Database, fen: str) -> Explored:
    return Explorer(database).explore(Query(variant="katruji", fen=fen))


def index_of(database: Database) -> dict[str, Any]:
    names = ("game_position", "game_material", "game_play", "continuation")
    return dump(database, *names)


def fens(state: GameState) -> list[str]:
    position = find_initial_position(state)
    found = [KATRUJI.write_fen(position)]
    for move in state.played:
        position.play(move.action)
        found.append(KATRUJI.write_fen(position))
    return found


def test_a_finished_game_is_found_by_every_position_it_came_to(
    projector: Projector, games: Games, database: Database
) -> None:
    state = played(games, "a", 12)
    played(games, "b", 1, "0-1")
    project(projector)
    for ply, fen in enumerate(fens(state)):
        expected = ["b", "a"] if ply < 2 else ["a"]
        assert listed(database, variant="katruji", fen=fen) == expected
        material = KATRUJI.material(fen)
        assert "a" in listed(database, variant="katruji", material=material)
    assert listed(database, variant="kerak") == []


def test_what_was_played_is_counted_by_result(
    projector: Projector, games: Games, database: Database
) -> None:
    for id, result in (("a", "1-0"), ("b", "1-0"), ("c", "0-1"), ("d", "1/2-1/2"), ("e", "*")):
        state = played(games, id, 3, result)
    project(projector)
    first = state.played[0].coordinate
    tally = {"1-0": 2, "0-1": 1, "1/2-1/2": 1, "*": 1}
    assert explored(database) == {first: tally}
    last = explore(database, fens(state)[-1])
    assert (last.continuations, last.ended.results) == ([], tally)
    assert last.total.results == tally


def test_a_running_game_adds_nothing(
    projector: Projector, games: Games, database: Database
) -> None:
    create(games, "a")
    play(games, "a", 5)
    project(projector)
    assert not any(index_of(database).values())
    assert listed(database, variant="katruji", fen=START) == []
    end(games, "a")
    project(projector)
    assert len(explored(database)) == 1


def test_a_corrected_result_takes_the_old_count_back(
    projector: Projector, games: Games, database: Database
) -> None:
    state = played(games, "a", 3, "1-0")
    project(projector)
    correct(games, "a", "0-1")
    project(projector)
    action = state.played[0].coordinate
    assert explored(database) == {action: {"1-0": 0, "0-1": 1, "1/2-1/2": 0, "*": 0}}
    after = dump(database)
    rebuild(games, database)
    assert dump(database) == after


def test_doing_it_again_counts_nothing_twice(
    projector: Projector, games: Games, database: Database
) -> None:
    states = [played(games, id) for id in "abc"]
    project(projector)
    before = dump(database)
    writer = GameWriter(lambda id, version: None)
    for _ in range(2):
        rows = [make_rows(state, {}) for state in states]
        database.write(lambda connection, rows=rows: writer.write(connection, rows))  # type: ignore[misc]
    database.write(lambda connection: connection.execute(delete(CHECKPOINT)))
    project(projector_of(games, database))
    assert dump(database) == before


def test_an_older_state_does_not_replace_a_newer_one(
    projector: Projector, games: Games, database: Database
) -> None:
    old = played(games, "a", 3, "1-0")
    correct(games, "a", "0-1")
    project(projector)
    before = dump(database)
    writer = GameWriter(lambda id, version: None)
    database.write(lambda connection: writer.write(connection, [make_rows(old, {})]))
    assert dump(database) == before


def test_two_projectors_at_once_count_a_game_once(
    projector: Projector, games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = projector_of(games, database)
    played(games, "a")
    prepare = projector.games.prepare

    def overtaken(updates: Any) -> Any:
        prepared = prepare(updates)
        project(other)
        return prepared

    monkeypatch.setattr(projector.games, "prepare", overtaken)
    project(projector)
    assert [sum(tally.values()) for tally in explored(database).values()] == [1]


def test_a_rebuilt_index_is_what_it_was(
    projector: Projector, games: Games, database: Database
) -> None:
    for number in range(30):
        played(games, f"g{number}", number, ("1-0", "0-1", "*")[number % 3])
        if number % 2:
            score(games, f"g{number}")
        if number % 7 == 0:
            project(projector)
    project(projector)
    before = dump(database)
    assert len(index_of(database)["game_position"]) > 30
    rebuild(games, database)
    assert dump(database) == before


def test_what_ends_during_a_rebuild_is_in_both(
    projector: Projector, games: Games, database: Database
) -> None:
    played(games, "a")
    project(projector)

    def meanwhile(done: int, total: int) -> None:
        played(games, "b")
        project(projector)
        assert listed(database, variant="katruji", fen=START) == ["b", "a"]

    rebuild(games, database, meanwhile)
    assert [sum(tally.values()) for tally in explored(database).values()] == [2]


def test_a_game_is_seen_in_each_of_its_positions_and_with_each_material(games: Games) -> None:
    state = played(games, "a", 16)
    play_ = play_of(state)
    assert play_ is not None
    assert [key for key, _ in play_.steps] == [fen_key("katruji", fen) for fen in fens(state)]
    material = {material_key("katruji", KATRUJI.material(fen)) for fen in fens(state)}
    assert play_.material == material
    create(games, "b")
    assert play_of(play(games, "b", 2)) is None


def test_an_imported_record_is_indexed_too(
    projector: Projector, games: Games, database: Database
) -> None:
    text = '[Result "1-0"]\n[Variant "katruji"]\n\n1. Pd1 1-0\n'
    games.create("a", ImportRecord(variant="katruji", first=None, second=None, tags={},
        text=text, actions="c2d1", result="1-0", fen=None), SCRIBE)  # fmt: skip
    project(projector)
    assert list(explored(database)) == ["c2d1"]
