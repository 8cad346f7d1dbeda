"""Ruling R35: whatever counted the end of a game no longer counts it when the game is reopened."""

from __future__ import annotations

from random import Random

import pytest

from notation.registry import find_dialect
from service.game.commands import Retract
from service.game.outline import GameOutline
from service.game.repository import Games
from service.projection.database.database import Database
from service.projection.game_list import GameList
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query
from service.projection.games.rows import make_rows
from service.projection.games.search import Search
from service.projection.games.writer import GameWriter
from service.projection.listed_fold import play_at
from service.projection.projector import Projector
from service.projection.ratings import Pool, Ratings, write_rated
from tests.service.projection.support import (
    SCRIBE,
    create,
    dump,
    end,
    listed,
    play,
    project,
    projector_of,
    rated_game,
    rebuild,
    reopen,
    score,
)

PERIOD = 60_000
UNTIMED = Pool("katruji", "untimed")
LATER = 1_700_000_000_000 + 100 * PERIOD
KATRUJI = find_dialect("katruji")
START = KATRUJI.write_fen(KATRUJI.start({}))


@pytest.fixture
def asked() -> list[GameOutline]:
    return []


@pytest.fixture
def ratings(database: Database) -> Ratings:
    return Ratings(database, PERIOD)


@pytest.fixture
def projector(games: Games, database: Database, asked: list[GameOutline]) -> Projector:
    return projector_of(games, database, asked.extend)


def count_game(games: Games, projector: Projector) -> None:
    """Win the game `a` after two plies, then score and project it."""
    create(games, "a")
    play(games, "a", 2)
    end(games, "a", "1-0")
    score(games, "a")
    project(projector)


def played_first(database: Database) -> dict[str, dict[str, int]]:
    explored = Explorer(database).explore(Query(variant="katruji", fen=START))
    return {one.action: one.tally.results for one in explored.continuations}


def test_r35_lists_search_and_explorer_forget_the_end(
    games: Games, database: Database, projector: Projector
) -> None:
    create(games, "a")
    play(games, "a", 4)
    end(games, "a", "1-0")
    score(games, "a", (1, 2))
    project(projector)
    assert listed(database, result="1-0") == ["a"]
    assert GameList(database).results("ann")["katruji"].won == 1
    assert played_first(database)
    reopen(games, "a")
    project(projector)
    assert listed(database, result="1-0") == listed(database, termination="adjudication") == []
    assert listed(database, status="running") == listed(database, open_for="ann") == ["a"]
    assert GameList(database).results("ann") == {}
    assert played_first(database) == {}
    assert listed(database, variant="katruji", fen=START) == []
    (line,) = Search(database, budget=60).page(Query()).games
    assert (line.result, line.termination, line.points, line.scored) == (None, None, None, False)


def test_r35_a_second_end_counts_once(
    games: Games, database: Database, projector: Projector
) -> None:
    create(games, "a")
    play(games, "a", 4)
    end(games, "a", "1-0")
    project(projector)
    reopen(games, "a")
    games.execute("a", Retract(plies=2), SCRIBE)
    end(games, "a", "0-1")
    project(projector)
    assert GameList(database).results("ann")["katruji"] == (0, 0, 1)
    assert [sum(counts.values()) for counts in played_first(database).values()] == [1]


def test_r35_the_end_of_a_reopened_game_is_asked_to_be_counted_and_its_reopening_too(
    games: Games, projector: Projector, asked: list[GameOutline]
) -> None:
    count_game(games, projector)
    assert asked == []
    reopen(games, "a")
    project(projector)
    assert len(asked) == 1
    play(games, "a", 1)
    project(projector)
    assert len(asked) == 1
    end(games, "a", "1-0")
    project(projector)
    assert len(asked) == 2


def test_r35_a_reopening_that_is_projected_with_what_followed_is_counted(
    games: Games, projector: Projector, asked: list[GameOutline]
) -> None:
    create(games, "a")
    play(games, "a", 2)
    project(projector)
    end(games, "a", "1-0")
    reopen(games, "a")
    play(games, "a", 1)
    project(projector)
    assert len(asked) == 1


def test_r35_a_reopening_is_counted_where_the_game_has_gone_on_before_it_is_projected(
    games: Games, projector: Projector, asked: list[GameOutline], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retraction follows at once: the state has it, but the feed names it only further on."""
    count_game(games, projector)
    assert asked == []
    reopen(games, "a")
    games.execute("a", Retract(plies=1), SCRIBE)
    wait = projector.events.wait
    monkeypatch.setattr(projector.events, "wait", lambda *given: wait(*given)[:1])
    project(projector)
    assert [(state.id, state.ending) for state in asked] == [("a", None)]


def test_r35_ratings_of_open_and_closed_periods_forget_the_end(
    games: Games, projector: Projector, ratings: Ratings
) -> None:
    rated_game(games, "a", "ann", "bob", "1-0")
    rated_game(games, "b", "cyd", "dan", "1-0")
    project(projector)
    ratings.close(LATER)
    assert set(ratings.ranking(UNTIMED, LATER, 9)) == {"ann", "bob", "cyd", "dan"}
    reopen(games, "a")
    project(projector)
    ratings.close(LATER)
    assert set(ratings.ranking(UNTIMED, LATER, 9)) == {"cyd", "dan"}
    end(games, "a", "0-1")
    project(projector)
    ratings.close(LATER)
    after = ratings.ranking(UNTIMED, LATER, 9)
    assert after["bob"].rating.rating > 1500 > after["ann"].rating.rating
    assert after["bob"].games == 1


def test_r35_an_older_state_that_comes_late_brings_no_end_back(
    games: Games, database: Database, ratings: Ratings
) -> None:
    ended = rated_game(games, "a", "ann", "bob", "1-0")
    reopened = reopen(games, "a")
    writer = GameWriter(lambda id, version: play_at(games, id, version))
    for state in (reopened, ended):
        rows = [make_rows(state, {})]
        database.write(lambda connection, rows=rows: writer.write(connection, rows))  # type: ignore[misc]
        database.write(lambda connection, state=state: write_rated(connection, [state]))  # type: ignore[misc]
    ratings.close(LATER)
    assert listed(database, result="1-0") == []
    assert played_first(database) == {}
    assert ratings.ranking(UNTIMED, LATER, 9) == {}


def test_r35_a_rebuild_gives_what_the_projector_has(
    games: Games, database: Database, projector: Projector, ratings: Ratings
) -> None:
    random = Random(35)
    states = [
        rated_game(games, f"g{number}", "ann", "bob", random.choice(["1-0", "0-1", "1/2-1/2"]))
        for number in range(30)
    ]
    project(projector)
    for _ in range(60):
        id = random.choice(states).id
        state = games.load(id)
        if state.ending is not None:
            reopen(games, id)
        elif random.random() < 0.4:
            games.execute(id, Retract(plies=1), SCRIBE) if state.played else None
        else:
            end(games, id, random.choice(["1-0", "0-1", "*"]))
        if random.random() < 0.4:
            project(projector)
    project(projector)
    ratings.close(LATER)
    assert any(games.load(state.id).reopened for state in states)
    before = dump(database)
    rebuild(games, database, ratings=ratings, now=LATER)
    assert dump(database) == before
