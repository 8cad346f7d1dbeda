from __future__ import annotations

from itertools import product

import pytest
import redis

from service.errors import BadValue
from service.game.repository import Games
from service.projection import game_list
from service.projection.game_index import GameIndex
from service.projection.game_list import Filters, GameList
from service.projection.summary import GameSummary, summarise
from tests.service.projection.support import create, end

PLAYERS = ("ann", "bob", "cid", "dot")


@pytest.fixture
def listed(games: Games, store: redis.Redis) -> list[GameSummary]:
    """Thirty games in the list, newest first."""
    index = GameIndex(store)
    states = []
    for number in range(30):
        first, second = PLAYERS[number % 4], PLAYERS[(number + 1 + number // 8) % 4]
        if first == second:
            second = "eve"
        state = create(games, f"g{number}", first, second, "challenge" if number % 5 else "scribe")
        if number % 10 == 0:
            state = end(games, f"g{number}", ("1-0", "0-1", "*")[number // 10])
        states.append(state)
    index.write(states)
    return [summarise(state) for state in reversed(states)]


def fits(summary: GameSummary, filters: Filters) -> bool:
    """Whether a game is among the filtered ones, told from the summary alone."""
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


def pages(games: GameList, filters: Filters, limit: int) -> list[GameSummary]:
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


def test_every_combination_of_filters(listed: list[GameSummary], store: redis.Redis) -> None:
    games = GameList(store)
    combinations = list(
        product(
            (None, "katruji", "chess"),
            (None, "ann", "eve", "nobody"),
            (None, "finished", "running", "offered"),
            (None, "1-0", "*"),
            (None, "adjudication", "unterminated"),
        )
    )
    hits = 0
    for variant, player, status, result, termination in combinations:
        filters = Filters(
            variant=variant, player=player, status=status, result=result, termination=termination
        )
        expected = [summary for summary in listed if fits(summary, filters)]
        assert games.page(filters).games == expected
        hits += bool(expected)
    assert hits > 20


@pytest.mark.parametrize("limit", [1, 7, 29, 30, 31])
def test_pages_give_every_game_once(
    listed: list[GameSummary], store: redis.Redis, limit: int
) -> None:
    assert pages(GameList(store), Filters(), limit) == listed
    offered = Filters(status="offered", player="bob")
    expected = [summary for summary in listed if fits(summary, offered)]
    assert pages(GameList(store), offered, limit) == expected


def test_the_last_page_says_so(listed: list[GameSummary], store: redis.Redis) -> None:
    assert GameList(store).page(limit=30).next_cursor is None
    assert GameList(store).page(limit=29).next_cursor is not None


def test_games_that_come_meanwhile_shift_nothing(
    listed: list[GameSummary], games: Games, store: redis.Redis
) -> None:
    page = GameList(store).page(limit=10)
    GameIndex(store).write([create(games, "new")])
    assert GameList(store).page(cursor=page.next_cursor, limit=10).games == listed[10:20]


def test_the_work_of_a_page_is_bounded(
    listed: list[GameSummary], store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_list, "LOOKED_AT", 2)
    monkeypatch.setattr(game_list, "CALLS", 2)
    few = Filters(status="offered", player="eve")
    expected = [summary for summary in listed if fits(summary, few)]
    assert 0 < len(expected) < 8
    first = GameList(store).page(Filters(), limit=30)
    assert (first.games, first.next_cursor) == (listed[:4], listed[3].member)
    assert pages(GameList(store), few, 30) == expected


@pytest.mark.parametrize("cursor", ["", "x", "1:g1", "+", "000001700000000:", "[000001700000000:g"])
def test_a_cursor_that_never_was_one_is_refused(store: redis.Redis, cursor: str) -> None:
    with pytest.raises(BadValue) as caught:
        GameList(store).page(cursor=cursor)
    assert caught.value.field == "cursor"


def test_an_empty_list(store: redis.Redis) -> None:
    assert GameList(store).page() == ([], None)
    assert GameList(store).open_games("ann") == []


def test_open_games_are_those_that_wait_for_somebody(
    listed: list[GameSummary], store: redis.Redis
) -> None:
    waiting = [s for s in listed if "ann" in s.seats and s.status in ("offered", "running")]
    assert GameList(store).open_games("ann") == waiting
    assert waiting


def test_values_that_look_like_patterns_or_separators_are_only_values(
    listed: list[GameSummary], store: redis.Redis
) -> None:
    for value in ("*", "a b", "=", "all", "%", "ann player=bob", "\N{SNOWMAN}"):
        assert GameList(store).page(Filters(player=value)).games == []
