"""Ratings by closed periods: from the log only, in any order, and the same after a rebuild."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from service.game.commands import Adjudicate, CreateGame
from service.game.repository import Games
from service.game.state import GameState
from service.projection.database.database import Database
from service.projection.rating_periods import Rated, rate
from service.projection.ratings import Pool, Ratings, rated_row, write_rated
from service.rating.glicko2 import RatedGame, rate_period
from tests.service.projection.support import SCRIBE, correct, dump, play, rated_game, rebuild

PERIOD = 60_000
UNTIMED = Pool("katruji", "untimed")
PLAYERS = ("ann", "bob", "cyd", "dan")
LATER = 1_700_000_000_000 + 100 * PERIOD


@pytest.fixture
def played(games: Games) -> list[GameState]:
    """Sixty random games over several periods."""
    random = Random(1)
    found = []
    for number in range(60):
        first, second = random.sample(PLAYERS, 2)
        result = random.choice(["1-0", "0-1", "1/2-1/2"])
        found.append(rated_game(games, f"g{number}", first, second, result))
    return found


def numbers(ratings: Ratings) -> dict[str, list[Rated]]:
    return {player: ratings.history(player).get(UNTIMED, []) for player in PLAYERS}


def write(ratings: Ratings, states: Sequence[GameState]) -> None:
    ratings.database.write(lambda connection: write_rated(connection, states))


def built(database: Database, states: Sequence[GameState]) -> dict[str, list[Rated]]:
    """The ratings if the games come in this order."""
    ratings = Ratings(database.build(), PERIOD)
    write(ratings, states)
    ratings.close(LATER)
    return numbers(ratings)


def test_the_order_of_games_and_of_closings_makes_no_difference(
    database: Database, played: list[GameState]
) -> None:
    at_once = built(database, played)
    assert all(len(history) > 2 for history in at_once.values())
    shuffled = Random(2).sample(played, len(played))
    assert built(database, shuffled) == at_once
    ratings = Ratings(database.build(), PERIOD)
    for number, state in enumerate(shuffled):
        write(ratings, [state])
        if number % 7 == 0:
            ratings.close(LATER - Random(number).randrange(100 * PERIOD))
    ratings.close(LATER)
    assert numbers(ratings) == at_once


def test_a_period_is_rated_by_glicko_2_from_what_was_before(
    database: Database, games: Games
) -> None:
    state = rated_game(games, "g1", "ann", "bob", "1-0")
    found = built(database, [state])
    expected = rate_period({}, [RatedGame("g1", "ann", "bob", 1.0)])
    assert found["ann"][0].rating == expected["ann"]
    assert found["bob"][0].rating == expected["bob"]
    assert found["ann"][0].games == 1
    assert found["ann"][0].rating.rating > 1500 > found["bob"][0].rating.rating


def test_a_pool_that_cannot_be_computed_keeps_no_other_from_being(
    database: Database, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    untimed = rated_game(games, "g1", "ann", "bob", "1-0")
    blitz = rated_game(games, "g2", "ann", "bob", "1-0", time_control="300")
    database = database.build()
    write(ratings := Ratings(database, PERIOD), [untimed, blitz])

    def rate_some(table: Any, period: int, played: Sequence[RatedGame]) -> Any:
        if played[0].id == "g1":
            raise ZeroDivisionError
        return rate(table, period, played)

    with monkeypatch.context() as broken:
        broken.setattr("service.projection.ratings.rate", rate_some)
        ratings.close(LATER)
    assert set(ratings.history("ann")) == {Pool("katruji", "blitz")}
    ratings.close(LATER)
    assert set(ratings.history("ann")) == {Pool("katruji", "blitz"), UNTIMED}


def test_an_open_period_is_not_rated_until_it_is_over(database: Database, games: Games) -> None:
    state = rated_game(games, "g1", "ann", "bob", "1-0")
    ratings = Ratings(database, PERIOD)
    write(ratings, [state])
    assert state.ended_at is not None
    ratings.close(state.ended_at)
    assert ratings.ranking(UNTIMED, state.ended_at, 9) == {}
    ratings.close(state.ended_at + PERIOD)
    assert len(ratings.ranking(UNTIMED, state.ended_at + PERIOD, 9)) == 2


def test_who_does_not_play_becomes_less_certain(database: Database, games: Games) -> None:
    state = rated_game(games, "g1", "ann", "bob", "1-0")
    ratings = Ratings(database, PERIOD)
    write(ratings, [state])
    ratings.close(LATER)
    soon = ratings.ranking(UNTIMED, LATER, 9)["ann"].rating
    late = ratings.ranking(UNTIMED, LATER + 1000 * PERIOD, 9)["ann"].rating
    assert late.rating == soon.rating
    assert late.deviation > soon.deviation


def test_a_ranking_has_the_best_first_and_no_more_than_it_should(
    database: Database, played: list[GameState]
) -> None:
    ratings = Ratings(database, PERIOD)
    write(ratings, played)
    ratings.close(LATER)
    everybody = ratings.ranking(UNTIMED, LATER, 9)
    assert set(everybody) == set(PLAYERS)
    points = [rated.rating.rating for rated in everybody.values()]
    assert points == sorted(points, reverse=True)
    assert list(ratings.ranking(UNTIMED, LATER, 2).items()) == list(everybody.items())[:2]


def test_a_corrected_result_is_rated_where_the_game_ended(
    database: Database, games: Games, played: list[GameState]
) -> None:
    before = built(database, played)
    right = "0-1" if played[5].ending and played[5].ending.result != "0-1" else "1-0"
    corrected = correct(games, "g5", right)
    ratings = Ratings(database, PERIOD)
    write(ratings, played)
    ratings.close(LATER)
    assert numbers(ratings) == before
    write(ratings, [corrected])
    write(ratings, [played[5]])
    ratings.close(LATER)
    after = numbers(ratings)
    assert after != before
    assert after == built(database, [*played[:5], corrected, *played[6:]])


def test_each_speed_has_ratings_of_its_own(database: Database, games: Games) -> None:
    slow = rated_game(games, "g1", "ann", "bob", "1-0")
    fast = rated_game(games, "g2", "ann", "bob", "0-1", time_control="180+2")
    again = rated_game(games, "g3", "ann", "bob", "0-1", time_control="300")
    ratings = Ratings(database, PERIOD)
    write(ratings, [slow, fast, again])
    ratings.close(LATER)
    blitz = Pool("katruji", "blitz")
    of_ann = ratings.of(["ann"], LATER)["ann"]
    assert list(of_ann) == [blitz, UNTIMED]
    assert of_ann[blitz].rating.rating < 1500 < of_ann[UNTIMED].rating.rating
    assert (of_ann[blitz].games, of_ann[UNTIMED].games) == (2, 1)
    assert set(ratings.ranking(blitz, LATER, 9)) == {"ann", "bob"}
    assert ratings.ranking(Pool("katruji", "rapid"), LATER, 9) == {}
    # A correction changes only the ratings of its own speed.
    before = ratings.ranking(UNTIMED, LATER, 9)
    write(ratings, [correct(games, "g2", "1-0")])
    ratings.close(LATER)
    assert ratings.ranking(UNTIMED, LATER, 9) == before
    assert ratings.of(["ann"], LATER)["ann"][blitz] != of_ann[blitz]


def test_a_casual_game_never_counts(database: Database, games: Games) -> None:
    casual = rated_game(games, "g1", "ann", "bob", "1-0", rated=False)
    assert rated_row(casual) is None
    corrected = correct(games, "g1", "0-1")
    ratings = Ratings(database, PERIOD)
    write(ratings, [casual, corrected])
    ratings.close(LATER)
    assert ratings.of(["ann", "bob"], LATER) == {"ann": {}, "bob": {}}


@pytest.mark.parametrize("what", ["scribe", "forfeit", "one move", "closed"])
def test_what_anybody_could_make_up_and_what_was_not_played_is_not_rated(
    games: Games, what: str
) -> None:
    if what == "scribe":
        state = rated_game(games, "g1", "ann", "bob", "1-0", mode="scribe")
    elif what == "closed":
        state = rated_game(games, "g1", "ann", "bob", "*")
    else:
        wish = CreateGame(variant="katruji", mode="scribe", first="ann", second="bob")
        games.create("g1", wish, SCRIBE)
        play(games, "g1", 1 if what == "one move" else 2)
        termination = "forfeit" if what == "forfeit" else "adjudication"
        state = games.execute("g1", Adjudicate(result="1-0", termination=termination), SCRIBE).state
    row = rated_row(state)
    assert row is None or row["ended_at"] is None
    rated = rated_row(rated_game(games, "g2", "ann", "bob", "1-0"))
    assert rated is not None
    assert (rated["first"], rated["second"], rated["score"]) == ("ann", "bob", 1.0)


def test_a_result_that_counts_no_more_is_taken_back(database: Database, games: Games) -> None:
    ended = rated_game(games, "g1", "ann", "bob", "1-0")
    ratings = Ratings(database, PERIOD)
    write(ratings, [ended])
    ratings.close(LATER)
    assert len(ratings.ranking(UNTIMED, LATER, 9)) == 2
    write(ratings, [correct(games, "g1", "0-1", "forfeit")])
    ratings.close(LATER)
    assert ratings.ranking(UNTIMED, LATER, 9) == {}


def test_a_rebuild_gives_the_same_rows(
    database: Database, games: Games, played: list[GameState]
) -> None:
    ratings = Ratings(database, PERIOD)
    for number, state in enumerate(Random(3).sample(played, len(played))):
        write(ratings, [state])
        if number % 11 == 0:
            ratings.close(LATER)
    correct(games, "g7", "1/2-1/2", "agreement")
    write(ratings, [games.load("g7")])
    ratings.close(LATER)
    tables = ("rated_game", "rating", "rating_due")
    before = dump(database, *tables)
    assert before["rated_game"]
    assert before["rating"]
    rebuild(games, database, ratings=ratings, now=LATER)
    assert dump(database, *tables) == before
