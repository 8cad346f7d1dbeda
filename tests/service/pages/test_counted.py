"""Rate limits count what a visitor does."""

from __future__ import annotations

from service.pages.session import COOKIE
from service.pages.static_files import find_static_path
from tests.service.api.client import Api, error
from tests.service.api.conftest import Clock, Configured, clock

__all__ = ["clock"]


def open_pages(api: Api, count: int, **headers: str) -> list[int]:
    """Open the page for a new game `count` times; returns the statuses."""
    sent = {"Accept": "text/html", **headers}
    return [api.http.get("/games/new", headers=sent).status_code for _ in range(count)]


def test_a_page_is_one_request_whatever_it_asks_for(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="3/hour")
    assert open_pages(api, 4) == [200, 200, 200, 429]
    clock.at += 3600
    assert open_pages(api, 4) == [200, 200, 200, 429]


def test_the_files_of_a_page_are_not_counted(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="1/hour")
    for path in (find_static_path("main.js"), "/static/main.js"):
        assert [api.http.get(path).status_code for _ in range(3)] == [200] * 3
    assert open_pages(api, 2) == [200, 429]


def test_what_a_page_asks_for_itself_is_counted(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="2/hour")
    assert open_pages(api, 1) == [200]
    assert api.get("/games").status_code == 200
    assert error(api.get("/games")) == (429, "too-many-requests")


def test_pages_count_for_the_player_who_is_signed_in(configured: Configured, clock: Clock) -> None:
    """Otherwise a club behind one address would share one limit."""
    api = configured(MOVELOG_RATE_LIMIT="2/hour")
    for name in ("Ada", "Brahim"):
        player = api.player(name)
        api.http.set_cookie(COOKIE, player.token.secret)
        assert open_pages(api, 1) == [200]
        # A player's pages, scripts and programs share one count.
        assert api.get("/me").status_code == 200
        assert open_pages(api, 1) == [429]
        assert error(api.get("/me", player)) == (429, "too-many-requests")
        api.http.delete_cookie(COOKIE)
    assert open_pages(api, 3) == [200, 200, 429]


def test_a_cookie_that_is_good_no_more_counts_for_the_address(
    configured: Configured, clock: Clock
) -> None:
    api = configured(MOVELOG_RATE_LIMIT="2/hour")
    statuses = []
    for number in range(3):
        api.http.set_cookie(COOKIE, f"mlg_nonsense{number}")
        statuses += open_pages(api, 1)
    assert statuses == [200, 200, 429]


def test_no_header_makes_a_request_one_from_within(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="1/hour")
    forged = {"movelog.within": "1", "Movelog-Within": "1", "HTTP_movelog.within": "1"}
    assert open_pages(api, 2, **forged) == [200, 429]


def test_a_bad_token_is_refused_in_a_page_without_a_limit_or_with_one(
    configured: Configured, clock: Clock
) -> None:
    for limit in ("", "50/hour"):
        api = configured(MOVELOG_RATE_LIMIT=limit)
        assert api.http.post("/sign-in", data={"token": "mlg_nonsense"}).status_code == 401
