"""Random questions: the database finds what a look at every game finds, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from service.game.evolve import fold
from service.game.repository import Games, stream_of
from service.projection.database.database import Database
from service.projection.games import walk
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query, Sort
from service.projection.games.rows import is_listed, make_rows
from service.projection.games.search import Count, Search
from service.projection.games.writer import GameWriter
from tests.service.projection.games.brute_force import Facts, explore, find, gather
from tests.service.projection.games.questions import ask
from tests.service.projection.games.synthetic import make_games
from tests.service.projection.support import memory_games

BATCH = 500


def fill(database: Database, games: Games, ids: Sequence[str]) -> None:
    """Write the rows of these games, a batch at a time."""
    writer = GameWriter(lambda id, version: None)
    left = iter(ids)
    while some := list(islice(left, BATCH)):
        states = [fold(id, games.log.read(stream_of(id))) for id in some]
        rows = [make_rows(state, {}) for state in states if state and is_listed(state)]
        database.write(lambda connection, rows=rows: writer.write(connection, rows))  # type: ignore[misc]


def find_all(search: Search, query: Query, sort: Sort, limit: int) -> Iterator[str]:
    """The ids on all pages."""
    cursor = None
    while True:
        page = search.page(query, cursor, limit, sort)
        assert len(page.games) <= limit
        yield from (game.id for game in page.games)
        cursor = page.next_cursor
        if cursor is None:
            return


def answer_all(
    database: Database, facts: Sequence[Facts], number: int, random: Random
) -> tuple[int, int]:
    """Ask so many questions and compare; returns how many games were found, and explored."""
    search, explorer = Search(database, budget=60), Explorer(database, budget=60)
    found = explored = 0
    for _ in range(number):
        query, sort = ask(facts, random)
        expected = find(facts, query, sort)
        limit = random.choice((1, 7, 50, 200)) if len(expected) < 100 else 200
        assert list(find_all(search, query, sort, limit)) == expected, (query, sort)
        assert search.count(query) == Count(len(expected), exact=True), query
        found += len(expected)
        if query.fen is not None:
            wanted = replace(query, at_ply=(None, None))
            answer = explorer.explore(wanted)
            tallies = {one.action: one.tally for one in answer.continuations} | {"": answer.ended}
            results = {
                action: {result: games for result, games in tally.results.items() if games}
                for action, tally in tallies.items()
                if tally.games
            }
            assert results == explore(facts, wanted), query
            explored += sum(tally.games for tally in tallies.values())
    return found, explored


@pytest.mark.parametrize("narrow", [walk.NARROW, 3])
def test_answers_are_those_of_a_look_at_every_game(
    database: Database, monkeypatch: pytest.MonkeyPatch, narrow: int
) -> None:
    if narrow == 3:
        monkeypatch.setattr(walk, "NARROW", 3)
        monkeypatch.setattr(walk, "WINDOWS", (5, 40))
    assert_answers(database, games=120, questions=100)


@pytest.mark.slow
def test_answers_about_thousands_of_games(database: Database) -> None:
    assert_answers(database, games=5000, questions=2000)


@pytest.mark.soak
def test_answers_about_a_whole_archive(database: Database) -> None:
    assert_answers(database, games=200_000, questions=2000)


def assert_answers(database: Database, games: int, questions: int) -> None:
    """Ask so many questions about so many games, some of which are found and explored."""
    log = memory_games()
    ids = list(make_games(log, games, seed=7))
    fill(database, log, ids)
    found, explored = answer_all(database, gather(log, ids), questions, Random(questions))
    assert found > games
    assert explored > games / 10
