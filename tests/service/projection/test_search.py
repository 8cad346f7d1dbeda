from __future__ import annotations

import pytest

from notation.registry import find_dialect
from service.errors import BadValue
from service.game.repository import Games
from service.projection.database.database import Database
from service.projection.games import search as searching
from service.projection.games.query import Query, canonical_material
from service.projection.games.rows import day_of
from service.projection.games.search import Search
from service.projection.summary import summarise
from tests.service.projection.support import create, end, play, project, projector_of, score

START = find_dialect("katruji").write_fen(find_dialect("katruji").start({}))


@pytest.fixture
def archive(games: Games, database: Database) -> Search:
    """Five games, oldest first: a to e."""
    create(games, "a", tags={"Event": "Open", "Date": "1999.12.31", "Round": "1"})
    create(games, "b", tags={"Event": "Open", "Date": "2000.??.??", "Opening": "Pd1 " * 100})
    create(games, "c", first="cyd", tags={"Event": "Cup", "Date": "????.??.??"})
    create(games, "d", second="cyd", tags={"Event": "Cup"})
    create(games, "e", mode="challenge")
    for plies, id in enumerate("abcd", 1):
        play(games, id, plies)
    for id, result in (("a", "1-0"), ("b", "0-1"), ("c", "1-0")):
        end(games, id, result)
    score(games, "a", (3, 9))
    score(games, "b", (4, 0))
    project(projector_of(games, database))
    return Search(database, budget=60)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), "edcba"),
        (Query(tags=(("Event", "Open"),)), "ba"),
        (Query(tags=(("Event", "open"),)), ""),
        (Query(tags=(("Event", "Open"), ("Round", "1"))), "a"),
        (Query(tags=(("Opening", "Pd1 " * 100),)), "b"),
        (Query(player="cyd"), "dc"),
        (Query(player="cyd", result="1-0"), "c"),
        (Query(status="running"), "d"),
        (Query(termination="adjudication"), "cba"),
        (Query(since="2000.01.01", until="2000.12.31"), "b"),
        (Query(until="1999.12.31"), "a"),
        (Query(since="2020.01.01"), "ed"),
        (Query(plies=(2, 3)), "cb"),
        (Query(plies=(None, 1)), "ea"),
        (Query(points=(5, None)), "a"),
        (Query(points=(None, 4)), "b"),
        (Query(variant="katruji", fen=START), "cba"),
        (Query(variant="katruji", fen=START, player="cyd"), "c"),
        (Query(variant="katruji", material="S6P6O6"), "cba"),
        (Query(variant="katruji", material="-"), ""),
        (Query(variant="kerak"), ""),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 50])
def test_games_are_found_newest_first(
    archive: Search, query: Query, expected: str, limit: int
) -> None:
    found, cursor = "", None
    while True:
        page = archive.page(query, cursor, limit)
        assert len(page.games) <= limit
        found += "".join(game.id for game in page.games)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == expected
    assert "".join(archive.ids(query)) == expected


def test_more_games_than_are_looked_at_at_once(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "CHUNK", 200)
    for number in range(205):
        create(games, f"g{number}", first="even" if number % 2 else "odd")
    project(projector_of(games, database))
    search = Search(database, budget=60)
    assert len(list(search.ids(Query()))) == 205
    assert len(search.page(Query(player="even"), limit=300).games) == 102
    both = Query(player="even", variant="katruji", plies=(None, 0))
    assert len(list(search.ids(both))) == 102


@pytest.mark.parametrize("query", [Query(fen=START), Query(material="P")])
def test_a_position_needs_its_variant(archive: Search, query: Query) -> None:
    with pytest.raises(BadValue) as refused:
        archive.page(query)
    assert refused.value.field == "variant"


@pytest.mark.parametrize("text", ["", "2Q", "Q-", "é", "Q" * 1001, "Q1000"])
def test_material_that_is_none(text: str) -> None:
    with pytest.raises(BadValue):
        canonical_material(text)


def test_the_pieces_may_stand_in_any_order() -> None:
    assert canonical_material("rQk2Q1") == "Q2k2r"


def test_a_game_without_a_date_has_the_day_it_was_created(games: Games) -> None:
    assert day_of(summarise(create(games, "a"))) == "2023.11.14"
    assert day_of(summarise(create(games, "b", tags={"Date": "1999.??.??"}))) == "1999.01.01"


def test_summaries_by_id(archive: Search) -> None:
    found = archive.summaries(["b", "nobody", "a"])
    assert [game and game.id for game in found] == ["b", None, "a"]
    assert archive.summaries([]) == []
