"""The list of puzzles, and which puzzle a player is given next."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert, update

from engine.registry import VARIANTS
from service.errors import NotFound
from service.projection.database.database import Database
from service.projection.database.tables import PUZZLE, PUZZLE_COLLECTION
from service.projection.puzzles.attempt_list import AttemptList
from service.projection.puzzles.attempts import write_attempts
from service.projection.puzzles.puzzle_list import NEAR, PuzzleList
from service.projection.puzzles.puzzles import describe_puzzle, write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.puzzles.collection import load_collection
from service.puzzles.errors import NoPuzzle
from service.puzzles.puzzle import Puzzle
from service.puzzles.themes import THEMES
from service.rating.puzzle_rating import begin_puzzle
from tests.service.projection.puzzles.support import PERIOD, TABLES, Club
from tests.service.projection.support import dump
from tests.service.puzzles.solvers import count_own_themes, list_long, list_with

THEME = "sacrifice"
OTHER = Puzzle("katruji", "4/3O/4/3S/4/1O2/P3/4 s 16-9 - 0 1", None, ("b3d5",), ("yara",), 1000)


@pytest.fixture
def puzzles(database: Database) -> PuzzleList:
    write_collection(database)
    return PuzzleList(database)


def test_the_tables_have_what_comes_with_the_service_and_no_other(
    database: Database, puzzles: PuzzleList, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(load_collection().list_puzzles())
    before = dump(database, *TABLES)
    assert {row[0] for row in before["puzzle"]} == {one.id for one in known}

    def change(connection: Connection) -> None:
        connection.execute(update(PUZZLE_COLLECTION).values(digest="of an earlier version"))
        connection.execute(update(PUZZLE).where(PUZZLE.c.id == known[0].id).values(line="x"))
        rating = begin_puzzle(1)
        connection.execute(
            insert(PUZZLE).values(
                **describe_puzzle(OTHER),
                rating=rating.rating,
                deviation=rating.deviation,
                volatility=rating.volatility,
                attempts=0,
            )
        )

    database.write(change)
    write_collection(database)
    assert dump(database, *TABLES) == before

    def refuse(*given: object) -> None:
        raise AssertionError("what is there already is not written")

    monkeypatch.setattr(database, "write", refuse)
    write_collection(database)


def test_a_puzzle_is_as_it_was_found(puzzles: PuzzleList) -> None:
    for known in load_collection().list_puzzles("katruji"):
        found = puzzles.find(known.id)
        assert (found.puzzle, found.attempts) == (known, 0)
        assert found.rating == begin_puzzle(known.rating)
    for id in ("0" * 10, "nonsense", "\x00", ""):
        with pytest.raises(NotFound):
            puzzles.find(id)


@pytest.mark.parametrize(
    ("variant", "theme"),
    [(None, None), ("kerak", None), (None, "mate"), ("kerd", "mate"), ("katruji", "mate")],
)
def test_lists_are_by_variant_and_theme(
    puzzles: PuzzleList, variant: str | None, theme: str | None
) -> None:
    expected = [one.id for one in list_with(variant, theme)]
    found: list[str] = []
    while page := puzzles.page(variant, theme, found[-1] if found else "", 50):
        found += [one.puzzle.id for one in page]
    assert found == expected
    if not expected:
        with pytest.raises(NoPuzzle):
            puzzles.find_following(variant, theme)
        return
    after = ""
    for id in (*expected, expected[0]):
        after = puzzles.find_following(variant, theme, after).puzzle.id
        assert after == id


def test_themes_are_counted_as_they_are_listed(puzzles: PuzzleList) -> None:
    counted = puzzles.count_themes()
    assert counted == sorted(
        counted, key=lambda one: ([*VARIANTS].index(one.variant), THEMES.index(one.theme))
    )
    for variant in VARIANTS:
        found = {theme: count for name, theme, count in counted if name == variant}
        assert found == count_own_themes(variant)


def test_the_next_puzzle_is_near_the_rating_and_was_not_tried(
    database: Database, puzzles: PuzzleList
) -> None:
    club = Club()
    tried: list[str] = []
    known = list_with("kerak", THEME)
    for _ in known:
        found = puzzles.find_near("ada", {"kerak": 1400.0}, THEME, "")
        assert found is not None
        left = [one for one in known if one.id not in tried]
        distances = sorted(abs(one.rating - 1400) for one in left)
        assert abs(found.rating.rating - 1400) <= distances[:8][-1]
        assert found.puzzle.id not in tried
        tried.append(found.puzzle.id)
        club.attempt("ada", found.puzzle, solves=False)
        database.write(lambda connection: write_attempts(connection, club.read()))
    assert puzzles.find_near("ada", {"kerak": 1400.0}, THEME, "") is None
    other = puzzles.find_near("bea", {"kerak": 1400.0}, THEME, "")
    assert other is not None


def test_not_all_begin_with_the_same_puzzle_and_nobody_gets_the_last_one_again(
    puzzles: PuzzleList,
) -> None:
    ratings = dict.fromkeys(VARIANTS, 1500.0)
    first = {}
    for player in map(str, range(20)):
        found = puzzles.find_near(player, ratings, None, "")
        assert found == puzzles.find_near(player, ratings, None, "")
        assert found is not None
        first[player] = found.puzzle.id
        following = puzzles.find_near(player, ratings, None, found.puzzle.id)
        assert following is not None
        assert following != found
    assert len(set(first.values())) > 3


def test_who_skips_puzzles_sees_all_that_are_near(puzzles: PuzzleList) -> None:
    seen, skipped = [], ""
    for _ in range(2 * (NEAR + 1)):
        found = puzzles.find_near("ada", {"kerak": 1400.0}, None, skipped)
        assert found is not None
        seen.append(skipped := found.puzzle.id)
    assert len({*seen[: NEAR + 1]}) == NEAR + 1
    assert seen[NEAR + 1 :] == seen[: NEAR + 1]


def test_attempts_are_listed_newest_first(database: Database, puzzles: PuzzleList) -> None:
    club = Club()
    for puzzle in [*list_long()[:5], *list_long("kerak")[:5]]:
        club.attempt("ada", puzzle, solves=True)
        club.clock.now += 10
    database.write(lambda connection: write_attempts(connection, club.read()))
    attempts = AttemptList(database)
    assert all(one.player_rating is None for one in attempts.page("ada").attempts)
    PuzzleRatings(database, PERIOD).rate()
    for variant in (None, "kerak"):
        found, cursor = [], None
        while True:
            page, cursor = attempts.page("ada", variant, cursor, 3)
            found += page
            if cursor is None:
                break
        tried = club.solvers.load("ada").attempts.values()
        expected = [one for one in tried if variant in (None, one.event.variant)]
        assert [one.puzzle for one in found] == [one.event.puzzle for one in reversed(expected)]
        for one in found:
            assert one.player_rating is not None
            assert one.player_rating.after.rating > one.player_rating.before
    assert attempts.page("bea").attempts == []
    assert attempts.find("bea", list_long()[0].id) is None
