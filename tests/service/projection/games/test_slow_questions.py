"""Queries that take too long: their answers say so, and continue where they stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, insert, literal_column, text

from notation.registry import find_dialect
from service.game.repository import Games
from service.projection.database.database import Database
from service.projection.database.tables import GAME_POSITION
from service.projection.games import walk
from service.projection.games.explorer import Explorer
from service.projection.games.keys import fen_key
from service.projection.games.memberships import Condition, conditions
from service.projection.games.query import Query, Sort
from service.projection.games.search import Count, Search
from tests.service.projection.database.test_time_limits import ENDLESS
from tests.service.projection.support import create, end, play, project, projector_of
from tests.waiting import PATIENCE

START = find_dialect("katruji").write_fen(find_dialect("katruji").start({}))
PLAYED = Query(variant="katruji", fen=START)
AGAIN = Query(variant="katruji", fen=START, at_ply=(1, None))
"""Games that returned to the first position: there is none but the one that `fill` adds."""
CANDIDATES = 150_000


@pytest.fixture
def archive(games: Games, database: Database) -> Database:
    """Three finished games."""
    for id in "abc":
        create(games, id)
        play(games, id, 2)
        end(games, id, "1-0")
    project(projector_of(games, database))
    return database


def never_fits(query: Query) -> list[Condition]:
    """The conditions of a query, and one whose evaluation never ends."""
    return [*conditions(query), literal_column(ENDLESS) > 0]


def timed(ask: Callable[[], Any]) -> Any:
    """Return the answer; fails if it does not come in time."""
    begun = time.monotonic()
    answer = ask()
    assert time.monotonic() - begun < PATIENCE
    return answer


@pytest.mark.parametrize("sort", list(Sort))
def test_a_page_ends_in_time_and_the_next_goes_on(
    archive: Database, monkeypatch: pytest.MonkeyPatch, sort: Sort
) -> None:
    search = Search(archive, budget=0.01)
    with monkeypatch.context() as slow:
        slow.setattr(walk, "conditions", never_fits)
        slow.setattr(walk, "GRACE", 0.05)
        first = timed(partial(search.page, PLAYED, sort=sort))
        assert (first.games, first.partial) == ([], True)
        second = timed(partial(search.page, PLAYED, first.next_cursor, sort=sort))
        assert (second.games, second.partial) == ([], True)
    rest = Search(archive, budget=60).page(PLAYED, second.next_cursor, sort=sort)
    assert ([game.id for game in rest.games], rest.partial) == (["c", "b", "a"], False)


def test_a_count_and_an_exploration_end_in_time(
    archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    filtered = Query(variant="katruji", fen=START, result="1-0")
    assert Search(archive, budget=60).count(filtered) == Count(3, exact=True)
    monkeypatch.setattr(walk, "conditions", never_fits)
    monkeypatch.setattr(walk, "GRACE", 0.05)
    assert timed(lambda: Search(archive, budget=0.01).count(filtered)) == Count(0, exact=False)
    explored = timed(lambda: Explorer(archive, budget=0.01).explore(filtered))
    assert (explored.total.games, explored.recent, explored.partial) == (0, [], True)


@pytest.mark.slow
def test_what_many_games_nearly_fit_is_found_bit_by_bit(
    archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The position came up in many games, but only the oldest one is wanted."""
    archive.write(fill)
    # Otherwise the variant has so few games that they would be looked at first.
    monkeypatch.setattr(walk, "NARROW", 2)
    cursor, pages = None, 0
    found: list[str] = []
    search = Search(archive, budget=0.01)
    while True:
        page = timed(partial(search.page, AGAIN, cursor))
        found += [game.id for game in page.games]
        pages, cursor = pages + 1, page.next_cursor
        assert page.partial == (cursor is not None)
        if cursor is None:
            break
    assert found == ["a"]
    assert pages > 1
    assert not timed(lambda: search.count(AGAIN)).exact
    assert timed(lambda: Explorer(archive, budget=0.01).explore(AGAIN)).partial


def fill(connection: Connection) -> None:
    """Let many games reach the first position, and the oldest known one reach it twice."""
    key = fen_key("katruji", START)
    oldest = text("SELECT min(number) FROM game_position")
    again = {"key": key, "number": connection.execute(oldest).scalar_one(), "ply": 9}
    connection.execute(insert(GAME_POSITION).values(**again, result=2, action=""))
    number = "(SELECT max(number) FROM game_position) + n.i"
    connection.execute(
        text(
            "INSERT INTO game_position (key, number, ply, result, action) "
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :games) "
            f"SELECT :key, {number}, 0, 2, 'a1' FROM n"
        ),
        {"games": CANDIDATES, "key": key},
    )
