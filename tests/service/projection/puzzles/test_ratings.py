"""Ratings of puzzles and solvers: from the log only, in the order of its times."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
from sqlalchemy import select

from service.projection.database.database import Database
from service.projection.database.tables import PUZZLE_THEME
from service.projection.puzzles import ratings as module
from service.projection.puzzles.attempt_list import AttemptList
from service.projection.puzzles.attempts import AttemptProjection, Attempts, write_attempts
from service.projection.puzzles.puzzle_list import PuzzleList
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.projection.rating_periods import idle
from service.projection.short_heads import shorten_head
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import begin_puzzle, rate_attempt
from tests.service.projection.puzzles.support import NOW, PERIOD, PLAYERS, TABLES, Club, build
from tests.service.projection.support import dump
from tests.service.puzzles.solvers import list_long

FIRST, SECOND = list_long()[:2]


@pytest.fixture
def club() -> Club:
    return Club()


def test_an_attempt_is_a_game_of_the_player_against_the_puzzle(
    database: Database, club: Club
) -> None:
    club.attempt("ada", FIRST, solves=True)
    club.clock.now += 1
    club.attempt("bea", FIRST, solves=False)
    write_collection(database)
    database.write(lambda connection: write_attempts(connection, club.read()))
    ratings = PuzzleRatings(database, PERIOD)
    assert ratings.of("ada", NOW) == {}
    ratings.rate()
    ada, easier = rate_attempt(Rating(), begin_puzzle(FIRST.rating), solved=True)
    bea, harder = rate_attempt(Rating(), easier, solved=False)
    assert ratings.of("ada", NOW)["katruji"].rating == ada
    assert ratings.of("bea", NOW)["katruji"].rating == bea
    listed = PuzzleList(database).find(FIRST.id)
    assert (listed.rating, listed.attempts) == (harder, 2)
    shelved = select(PUZZLE_THEME.c.rating).where(PUZZLE_THEME.c.puzzle == FIRST.id)
    beside = database.read(lambda connection: connection.execute(shelved).scalars().all())
    assert beside == [harder.rating] * len(FIRST.themes)
    attempt = AttemptList(database).find("bea", FIRST.id)
    assert attempt is not None
    assert attempt.player_rating is not None
    assert attempt.puzzle_rating is not None
    assert (attempt.player_rating.before, attempt.player_rating.after) == (1500.0, bea)
    assert (attempt.puzzle_rating.before, attempt.puzzle_rating.after) == (easier.rating, harder)


def test_a_player_who_waits_gets_less_certain_and_a_puzzle_does_not(
    database: Database, club: Club
) -> None:
    club.attempt("ada", FIRST, solves=True)
    club.clock.now += 5 * PERIOD
    club.attempt("ada", SECOND, solves=True)
    write_collection(database)
    database.write(lambda connection: write_attempts(connection, club.read()))
    ratings = PuzzleRatings(database, PERIOD)
    ratings.rate()
    once, puzzle = rate_attempt(Rating(), begin_puzzle(FIRST.rating), solved=True)
    # The periods of the two attempts are not among those without one.
    twice, _ = rate_attempt(idle(once, 4), begin_puzzle(SECOND.rating), solved=True)
    found = ratings.of("ada", club.clock.now)["katruji"]
    assert (found.rating, found.attempts, found.solved) == (twice, 2, 2)
    assert ratings.of("ada", club.clock.now + 3 * PERIOD)["katruji"].rating == idle(twice, 2)
    assert ratings.of("ada", club.clock.now + PERIOD)["katruji"].rating == twice
    assert PuzzleList(database).find(FIRST.id).rating == puzzle


def test_variants_are_rated_apart(database: Database, club: Club) -> None:
    club.play(40)
    write_collection(database)
    database.write(lambda connection: write_attempts(connection, club.read()))
    ratings = PuzzleRatings(database, PERIOD)
    ratings.rate()
    for player in PLAYERS:
        found = ratings.of(player, club.clock.now)
        tried = club.solvers.load(player).attempts.values()
        for variant in ("katruji", "kerak"):
            own = [one.event.solved for one in tried if one.event.variant == variant]
            assert (found[variant].attempts, found[variant].solved) == (len(own), sum(own))
    assert ratings.of("nobody", NOW) == {}


def test_the_order_in_which_attempts_come_and_are_rated_makes_no_difference(
    database: Database, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.play(60)
    expected = build(database, club)
    assert expected["attempt_due"] == []
    monkeypatch.setattr(module, "STEP", 7)
    assert build(database, club) == expected
    write_collection(database)
    ratings, random, partly = PuzzleRatings(database, PERIOD), Random(3), 0
    came = dict.fromkeys(PLAYERS, 0)
    recorded = {one.player: one.recorded for one in club.read()}
    while any(came[player] < len(recorded[player]) for player in PLAYERS):
        player = random.choice(PLAYERS)
        some = recorded[player][came[player] : came[player] + random.randint(1, 4)]
        if some:
            came[player] += len(some)
            database.write(partial(write_attempts, found=[Attempts(player, some)]))
        if random.random() < 0.3:
            # Without any time, it rates some that are due.
            partly += ratings.rate(0)
        if random.random() < 0.3:
            ratings.rate()
    assert partly > 0
    ratings.rate()
    assert dump(database, *TABLES) == expected


def test_what_is_written_again_changes_nothing(database: Database, club: Club) -> None:
    club.play(20)
    write_collection(database)
    for _ in range(2):
        database.write(lambda connection: write_attempts(connection, club.read()))
        club.project(database)
    PuzzleRatings(database, PERIOD).rate()
    before = dump(database, *TABLES)
    database.write(lambda connection: write_attempts(connection, club.read()))
    assert dump(database, *TABLES) == before == build(database, club)


def test_attempts_that_the_log_has_lost_count_no_more(database: Database, club: Club) -> None:
    club.play(30)
    write_collection(database)
    database.write(lambda connection: write_attempts(connection, club.read()))
    ratings = PuzzleRatings(database, PERIOD)
    ratings.rate()
    # After a failover the log has no attempts of one player, and other attempts of another.
    later = Club()
    for puzzle in list_long("kerak")[:3]:
        later.attempt("cy", puzzle, solves=True)
    kept = [one for one in club.read() if one.player == "ada"]
    heads = {one.player: shorten_head(one.recorded[-1].hash) for one in kept}
    heads["cy"] = shorten_head(later.solvers.load("cy").head)
    projection = AttemptProjection(later.solvers.log)
    stale = database.read(lambda connection: projection.find_stale(connection, heads))
    assert stale == {"bea", "cy"}
    database.write(projection.mend(sorted(stale), ["cy"]))
    ratings.rate()
    built = database.build()
    write_collection(built)
    found = [*kept, *(one for one in later.read() if one.recorded)]
    built.write(lambda connection: write_attempts(connection, found))
    PuzzleRatings(built, PERIOD).rate()
    assert dump(database, *TABLES) == dump(built, *TABLES)
