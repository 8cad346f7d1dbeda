"""The search field of every page."""

from __future__ import annotations

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.test_home import shown_games
from tests.service.pages.visitor import Visitor


@pytest.mark.parametrize("path", ["/", "/games", "/sign-in", "/search", "/nothing"])
def test_every_page_has_the_search_field(api: Api, path: str) -> None:
    page = api.http.get(path, headers={"Accept": "text/html"}).text
    form = page.partition('<form class="seek" action="/search" role="search"')[2]
    assert ' name="q"' in form.partition("</form>")[0]


def test_players_and_their_games_are_found_by_name(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    two, other = api.running(ada, brahim), api.running(eve, brahim, tags={"Event": "Ada Cup"})
    api.project()
    page = Visitor(api).open("/search?q=ada")
    assert f'href="/players/{ada.id}">Ada</a>' in page
    assert f"/players/{eve.id}" not in page.partition("Games of players")[0]
    assert shown_games(page.partition("Games of players")[2]) == [two[7:]]
    assert shown_games(Visitor(api).open("/search?q=Ada+Cup")) == [other[7:]]
    for between in ("-", "vs", "v.", "–", "against"):
        found = Visitor(api).open(f"/search?q=Brahim+{between}+Eve")
        assert shown_games(found) == [other[7:]], between
        assert "<h2>Players</h2>" not in found


def test_one_of_two_players_of_a_name_is_found_by_the_mark(api: Api, ada: NewPlayer) -> None:
    one, two = (api.player("Ann Lee") for _ in range(2))
    paths = {player: api.running(player, ada)[7:] for player in (one, two)}
    api.project()
    page = Visitor(api).open("/search?q=ann+lee")
    assert set(shown_games(page)) == set(paths.values())
    for player, game in paths.items():
        assert f"Ann Lee #{player.id[:4].upper()}</a>" in page
        query = f"Ann+Lee+%23{player.id[:4].upper()}"
        for path in (f"/search?q={query}", f"/games?player={query}"):
            assert shown_games(Visitor(api).open(path)) == [game], path


@pytest.mark.parametrize(
    "text", ["", "   ", "?", "#", "%00", "x" * 500, "<b>x</b>", "a - ", "\u202eadA"]
)
def test_what_nobody_is_called_is_answered_with_a_page(api: Api, text: str) -> None:
    answer = api.http.get("/search", query_string={"q": text}, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert "<b>x" not in answer.text


def test_a_search_that_took_too_long_does_not_say_that_there_is_no_game(
    api: Api, ada: NewPlayer, brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.running(ada, brahim)
    api.project()
    monkeypatch.setattr(api.service.search, "budget", -1)
    for path, other in (
        ("/search?q=Ada", "No games found."),
        ("/games?player=Ada", "No games match."),
    ):
        page = Visitor(api).open(path)
        assert "The search took too long, and found no game so far." in page
        assert other not in page
