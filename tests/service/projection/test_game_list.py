from __future__ import annotations

from itertools import product

import pytest

from service.game.repository import Games
from service.projection import game_list
from service.projection.database.database import Database
from service.projection.errors import BadCursor
from service.projection.game_list import GameList
from service.projection.games.query import Query
from service.projection.games.search import Search
from service.projection.summary import GameSummary, summarise
from tests.service.projection.support import create, end, project, projector_of

PLAYERS = ("ann", "bob", "cid", "dot")


@pytest.fixture
def listed(games: Games, database: Database) -> list[GameSummary]:
    """Thirty games in the list, newest first."""
    states = []
    for number in range(30):
        first, second = PLAYERS[number % 4], PLAYERS[(number + 1 + number // 8) % 4]
        if first == second:
            second = "eve"
        state = create(games, f"g{number}", first, second, "challenge" if number % 5 else "scribe")
        if number % 10 == 0:
            state = end(games, f"g{number}", ("1-0", "0-1", "*")[number // 10])
        states.append(state)
    project(projector_of(games, database))
    return [summarise(state) for state in reversed(states)]


def fits(summary: GameSummary, filters: Query) -> bool:
    """Whether a game matches the filters, judged by its summary only."""
    return all(
        wanted is None or wanted in found
        for wanted, found in (
            (filters.variant, (summary.variant,)),
            (filters.player, summary.seats),
            (filters.status, (summary.status,)),
            (filters.result, (summary.result,)),
            (filters.termination, (summary.termination,)),
        )
    )


def pages(games: Search, filters: Query, limit: int) -> list[GameSummary]:
    """All pages, one after the other."""
    found: list[GameSummary] = []
    cursor = None
    while True:
        page = games.page(filters, cursor, limit)
        assert len(page.games) <= limit
        found += page.games
        if page.next_cursor is None:
            return found
        cursor = page.next_cursor


@pytest.mark.slow
def test_every_combination_of_filters(listed: list[GameSummary], database: Database) -> None:
    games = Search(database, budget=60)
    combinations = list(
        product(
            (None, "katruji", "kerak"),
            (None, "ann", "eve", "nobody"),
            (None, "finished", "running", "offered"),
            (None, "1-0", "*"),
            (None, "adjudication", "unterminated"),
        )
    )
    hits = 0
    for variant, player, status, result, termination in combinations:
        filters = Query(
            variant=variant, player=player, status=status, result=result, termination=termination
        )
        expected = [summary for summary in listed if fits(summary, filters)]
        assert games.page(filters).games == expected
        hits += bool(expected)
    assert hits > 20


@pytest.mark.parametrize("limit", [1, 7, 29, 30, 31])
def test_pages_give_every_game_once(
    listed: list[GameSummary], database: Database, limit: int
) -> None:
    assert pages(Search(database, budget=60), Query(), limit) == listed
    offered = Query(status="offered", player="bob")
    expected = [summary for summary in listed if fits(summary, offered)]
    assert pages(Search(database, budget=60), offered, limit) == expected


def test_the_last_page_says_so(listed: list[GameSummary], database: Database) -> None:
    assert Search(database, budget=60).page(Query(), limit=30).next_cursor is None
    assert Search(database, budget=60).page(Query(), limit=29).next_cursor is not None


def test_games_that_come_meanwhile_shift_nothing(
    listed: list[GameSummary], games: Games, database: Database
) -> None:
    page = Search(database, budget=60).page(Query(), limit=10)
    create(games, "new")
    project(projector_of(games, database))
    assert (
        Search(database, budget=60).page(Query(), cursor=page.next_cursor, limit=10).games
        == listed[10:20]
    )


@pytest.mark.parametrize("cursor", ["", "x", "1:g1", "+", "000001700000000:", "[000001700000000:g"])
def test_a_cursor_that_never_was_one_is_refused(database: Database, cursor: str) -> None:
    with pytest.raises(BadCursor):
        Search(database, budget=60).page(Query(), cursor=cursor)


def test_an_empty_list(database: Database) -> None:
    assert Search(database, budget=60).page(Query()) == ([], None, False)
    assert GameList(database).open_games("ann") == []


def test_open_games_are_those_that_wait_for_somebody(
    listed: list[GameSummary], database: Database
) -> None:
    waiting = [s for s in listed if "ann" in s.seats and s.status in ("offered", "running")]
    assert GameList(database).open_games("ann") == waiting
    assert waiting


def test_challenges_hide_no_game_that_is_played(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_list, "MOST_OPEN", 3)
    create(games, "played", "bob", "ann", "scribe")
    for number in range(4):
        create(games, f"offered{number}", "eve", "ann", "challenge")
    project(projector_of(games, database))
    assert GameList(database).open_ids("ann")[:3] == ["offered3", "offered2", "played"]


def test_values_that_look_like_patterns_or_separators_are_only_values(
    listed: list[GameSummary], database: Database
) -> None:
    for value in ("*", "a b", "=", "all", "%", "ann player=bob", "\N{SNOWMAN}"):
        assert Search(database, budget=60).page(Query(player=value)).games == []
