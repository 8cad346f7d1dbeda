"""Openings: games are classified once, and readers see only a complete table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from notation.registry import find_dialect
from service.game.repository import Games
from service.openings.repository import Openings
from service.openings.values import Opening
from service.projection import openings as projection
from service.projection.database.database import Database
from service.projection.database.tables import GAME_OPENING, NAMED_GAME, OPENING
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query
from service.projection.games.search import Search
from service.projection.openings import Classification, OpeningProjection, Progress
from service.projection.projector import Projector
from tests.service.projection.support import (
    create,
    dump,
    end,
    listed,
    play,
    project,
    rebuild,
    reopen,
    ticking,
)

TABLES = ("game_opening", "named_game", "opening", "opening_edition")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches so small that a few games fill several."""
    monkeypatch.setattr(projection, "BATCH", 2)


@pytest.fixture
def openings(games: Games) -> Openings:
    return Openings(games.log, ticking())


@pytest.fixture
def projector(games: Games, database: Database, openings: Openings) -> Projector:
    return Projector(games, database, [OpeningProjection(openings)])


def finished(games: Games, *ids: str, plies: int = 3) -> None:
    """Finish games in which each action was the first legal one."""
    for id in ids:
        create(games, id)
        play(games, id, plies)
        end(games, id)


def line(plies: int) -> tuple[str, ...]:
    """The first actions of such games."""
    texts = find_dialect("katruji")
    position = texts.start({})
    played = []
    for _ in range(plies):
        played.append(texts.coordinate(position.legal()[0]))
        position.play(position.legal()[0])
    return tuple(played)


def opening(name: str, plies: int, code: str | None = None) -> Opening:
    return Opening("katruji", name, line(plies), code)


def told(database: Database, ids: Sequence[str]) -> list[str | None]:
    """The openings that the lists give these games."""
    found = Search(database, budget=60).summaries(ids)
    return [game.opening.name if game and game.opening else None for game in found]


def test_games_there_are_and_games_that_come_are_classified(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, "a", "b", "c", "d", "e")
    project(projector)
    classification = Classification(database)
    assert classification.progress() is None
    openings.replace([opening("Gate", 1), opening("Gate: Early, North", 3, "G1")], "op")
    project(projector)
    assert classification.progress() == Progress(1, 0, 5, ready=False)
    assert classification.step()
    assert classification.progress() == Progress(1, 2, 5, ready=False)
    # Nobody reads an incomplete table.
    assert told(database, ["a", "b"]) == [None, None]
    assert listed(database, opening="gate") == []
    finished(games, "f")
    finished(games, "g", plies=2)
    create(games, "open")
    play(games, "open", 3)
    project(projector)
    assert not classification.run()
    assert classification.progress() == Progress(1, 7, 5, ready=True)
    early = "Gate: Early, North"
    assert told(database, ["a", "e", "f", "g", "open"]) == [early, early, early, "Gate", None]
    assert listed(database, opening="GATE") == ["g", "f", "e", "d", "c", "b", "a"]
    assert listed(database, opening="gate: early") == ["f", "e", "d", "c", "b", "a"]
    assert listed(database, opening="g1") == ["f", "e", "d", "c", "b", "a"]
    assert listed(database, opening="early") == []
    assert listed(database, opening=" Gate:  Early, north", player="nobody") == []


def test_another_table_takes_the_place_of_one_at_once(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, "a", "b", "c")
    openings.replace([opening("Old", 2)], "op")
    project(projector)
    classification = Classification(database)
    classification.run()
    openings.replace([opening("New", 1), opening("New: Deep", 3)], "op")
    project(projector)
    seen = []
    while classification.step():
        seen.append((*told(database, ["a", "b", "c"]), *listed(database, opening="New")))
    assert set(seen) == {("Old",) * 3, ("New: Deep",) * 3 + ("c", "b", "a")}
    assert listed(database, opening="old") == []
    counts = [select(func.count()).select_from(t) for t in (OPENING, GAME_OPENING, NAMED_GAME)]
    found = database.read(lambda c: [c.execute(count).scalar_one() for count in counts])
    assert found == [2, 3, 6]
    openings.clear("op")
    project(projector)
    assert told(database, ["a"]) == [None]
    classification.run()
    assert {name: len(rows) for name, rows in dump(database, *TABLES).items()} == {
        "game_opening": 0,
        "named_game": 0,
        "opening": 0,
        "opening_edition": 1,
    }


def test_a_table_that_is_overtaken_while_it_is_applied_leaves_nothing(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, "a", "b", "c", "d", "e")
    for number in range(4):
        openings.replace([opening(f"Table {number}", 1 + number % 3)], "op")
        project(projector)
        Classification(database).step()
    finished(games, "f")
    project(projector)
    Classification(database).run()
    assert told(database, list("abcdef")) == ["Table 3"] * 6
    assert {len(rows) for rows in dump(database, "opening", "opening_edition").values()} == {1}


def test_a_reopened_game_has_the_opening_of_what_was_played_at_last(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    openings.replace([opening("Gate", 2), opening("Deep", 4)], "op")
    finished(games, "a")
    project(projector)
    Classification(database).run()
    assert told(database, ["a"]) == ["Gate"]
    reopen(games, "a")
    project(projector)
    assert told(database, ["a"]) == [None]
    assert listed(database, opening="gate") == []
    play(games, "a")
    end(games, "a")
    project(projector)
    assert told(database, ["a"]) == ["Deep"]
    assert listed(database, opening="gate") == []
    assert listed(database, opening="deep") == ["a"]


def test_a_rebuild_classifies_every_game_before_it_is_read(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, "a", "b", "c", "d", "e")
    openings.replace([opening("Old", 1)], "op")
    openings.replace([opening("Gate", 2), opening("Gate: Deep", 3)], "op")
    project(projector)
    Classification(database).run()
    before = dump(database, "game_opening", "named_game", "opening")
    rebuild(games, database, projections=[OpeningProjection(openings)])
    assert told(database, ["a", "e"]) == ["Gate: Deep"] * 2
    assert dump(database, "game_opening", "named_game", "opening") == before
    assert Classification(database).progress() == Progress(2, 5, 5, ready=True)


def test_two_who_classify_at_a_time_do_nothing_twice(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, *(f"g{number}" for number in range(9)))
    project(projector)
    openings.replace([opening("Gate", 1)], "op")
    project(projector)
    both = [Classification(database), Classification(database)]
    steps = sum(one.step() for _ in range(10) for one in both)
    assert steps == 5
    assert both[0].progress() == Progress(1, 9, 9, ready=True)
    assert len(listed(database, opening="gate")) == 9


def test_it_goes_on_for_a_time_and_says_whether_something_is_left(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    finished(games, "a", "b", "c")
    project(projector)
    openings.replace([opening("Gate", 1)], "op")
    project(projector)
    classification = Classification(database)
    assert classification.run(seconds=0)
    assert not classification.run()


def test_an_old_table_is_not_written_over_a_newer_one(
    games: Games, database: Database, openings: Openings
) -> None:
    old = OpeningProjection(openings).prepare(())
    openings.replace([opening("New", 1)], "op")
    database.write(OpeningProjection(openings).prepare(()))
    rows = dump(database, *TABLES)
    for change in (old, OpeningProjection(openings).prepare(())):
        database.write(change)
    assert dump(database, *TABLES) == rows


def test_the_explorer_names_a_position_reached_in_any_order(
    games: Games, database: Database, openings: Openings, projector: Projector
) -> None:
    texts = find_dialect("kerd")
    openings.replace([Opening("kerd", "Both", ("e2e3", "e11e10", "a2a3"), "B")], "op")
    project(projector)
    Classification(database).run()
    position = texts.start({})
    fens = [texts.write_fen(position)]
    for token in ("a3", "e10", "e3"):
        position.play(texts.resolve(position, token))
        fens.append(texts.write_fen(position))
    explorer = Explorer(database)
    named = [explorer.explore(Query(variant="kerd", fen=fen)).opening for fen in fens]
    assert [one and one.name for one in named] == [None, None, None, "Both"]
    filtered = explorer.explore(Query(variant="kerd", fen=fens[-1], player="ann"))
    assert filtered.opening == named[-1]


def test_an_opening_that_the_rules_do_not_allow_any_more_is_left_out(
    games: Games, database: Database, openings: Openings, caplog: pytest.LogCaptureFixture
) -> None:
    openings.replace([Opening("katruji", "Gone", ("a1a8",)), opening("Gate", 1)], "op")
    database.write(OpeningProjection(openings).prepare(()))
    assert [row[2] for row in dump(database, "opening")["opening"]] == ["Gate"]
    assert "the opening Gone (katruji) names no game" in caplog.text
