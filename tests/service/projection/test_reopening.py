"""Ruling R35: whatever counted the end of a game that was reopened counts it no more."""

from __future__ import annotations

from random import Random

import pytest
import redis

from notation.registry import find_dialect
from service.game.commands import Retract
from service.game.repository import Games
from service.game.state import GameState
from service.projection.explorer import Explorer
from service.projection.game_index import GameIndex
from service.projection.game_list import Filters, GameList
from service.projection.position_index import PositionIndex
from service.projection.projector import Projector
from service.projection.query import Query
from service.projection.ratings import Ratings
from service.projection.rebuild import rebuild
from service.projection.search import Search
from tests.service.projection.support import (
    SCRIBE,
    create,
    dump,
    end,
    play,
    rated_game,
    reopen,
    score,
)

PERIOD = 60_000
LATER = 1_700_000_000_000 + 100 * PERIOD
KATRUJI = find_dialect("katruji")
START = KATRUJI.write_fen(KATRUJI.start({}))


@pytest.fixture
def asked() -> list[GameState]:
    return []


@pytest.fixture
def ratings(store: redis.Redis) -> Ratings:
    return Ratings(store, PERIOD)


@pytest.fixture
def projector(
    games: Games, store: redis.Redis, asked: list[GameState], ratings: Ratings
) -> Projector:
    return Projector(games, store, asked.extend, ratings=ratings)


def project(projector: Projector) -> None:
    while projector.step(0.001):
        pass


def count_game(games: Games, projector: Projector) -> None:
    """The game `a`, won after two plies, scored and projected."""
    create(games, "a")
    play(games, "a", 2)
    end(games, "a", "1-0")
    score(games, "a")
    project(projector)


def played_first(store: redis.Redis) -> dict[str, dict[str, int]]:
    return {one.action: one.results for one in Explorer(store).at("katruji", START).continuations}


def listed(store: redis.Redis, **wanted: str) -> list[str]:
    return [game.id for game in GameList(store).page(Filters(**wanted)).games]


def test_r35_lists_search_and_explorer_forget_the_end(
    games: Games, store: redis.Redis, projector: Projector
) -> None:
    create(games, "a")
    play(games, "a", 4)
    end(games, "a", "1-0")
    score(games, "a", (1, 2))
    project(projector)
    assert listed(store, result="1-0") == ["a"]
    assert GameList(store).results("ann")["katruji"].won == 1
    assert played_first(store)
    reopen(games, "a")
    project(projector)
    assert listed(store, result="1-0") == listed(store, termination="adjudication") == []
    assert listed(store, status="running") == listed(store, open_for="ann") == ["a"]
    assert GameList(store).results("ann") == {}
    assert played_first(store) == {}
    assert Search(store).page(Query(variant="katruji", fen=START)).games == []
    (line,) = GameList(store).page().games
    assert (line.result, line.termination, line.points, line.scored) == (None, None, None, False)


def test_r35_a_second_end_counts_once(
    games: Games, store: redis.Redis, projector: Projector
) -> None:
    create(games, "a")
    play(games, "a", 4)
    end(games, "a", "1-0")
    project(projector)
    reopen(games, "a")
    games.execute("a", Retract(plies=2), SCRIBE)
    end(games, "a", "0-1")
    project(projector)
    assert GameList(store).results("ann")["katruji"] == (0, 0, 1)
    assert [sum(counts.values()) for counts in played_first(store).values()] == [1]


def test_r35_the_end_of_a_reopened_game_is_asked_to_be_counted_and_its_reopening_too(
    games: Games, projector: Projector, asked: list[GameState]
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
    games: Games, projector: Projector, asked: list[GameState]
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
    games: Games, projector: Projector, asked: list[GameState], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The retraction follows at once: the state has it, and the feed names it further on."""
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
    assert set(ratings.current("katruji", LATER)) == {"ann", "bob", "cyd", "dan"}
    reopen(games, "a")
    project(projector)
    ratings.close(LATER)
    assert set(ratings.current("katruji", LATER)) == {"cyd", "dan"}
    end(games, "a", "0-1")
    project(projector)
    ratings.close(LATER)
    after = ratings.current("katruji", LATER)
    assert after["bob"].rating.rating > 1500 > after["ann"].rating.rating
    assert after["bob"].games == 1


def test_r35_an_older_state_that_comes_late_brings_no_end_back(
    games: Games, store: redis.Redis, ratings: Ratings
) -> None:
    ended = rated_game(games, "a", "ann", "bob", "1-0")
    reopened = reopen(games, "a")
    index, positions = GameIndex(store), PositionIndex(store, games.log)
    for state in (reopened, ended):
        index.write([state])
        positions.write([state])
        ratings.write([state])
    ratings.close(LATER)
    assert listed(store, result="1-0") == []
    assert played_first(store) == {}
    assert ratings.current("katruji", LATER) == {}


def test_r35_a_rebuild_gives_what_the_projector_has(
    games: Games, store: redis.Redis, projector: Projector, ratings: Ratings
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
    before = dump(store)
    rebuild(games.log, store, ratings=ratings, now=LATER)
    assert dump(store) == before
