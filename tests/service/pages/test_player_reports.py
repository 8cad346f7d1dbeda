"""A player's page, and the pages that it leads to."""

from __future__ import annotations

import re

import pytest

from service.openings.values import Opening
from service.player.repository import NewPlayer
from service.projection.openings import Classification
from tests.service.api.client import Api
from tests.service.api.test_player_reports import GAMES, players
from tests.service.pages.visitor import Visitor

__all__ = ["players"]


def texts(page: str) -> str:
    """The text of a page, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def links(page: str, begins: str) -> list[str]:
    return [
        link.replace("&amp;", "&")
        for link in re.findall(r'href="([^"]+)"', page)
        if link.startswith(begins)
    ]


def test_a_players_page_leads_to_opponents_openings_and_games(
    api: Api, players: dict[str, str]
) -> None:
    visitor = Visitor(api)
    ada, brahim = players["Dora"], players["Brahim"]
    page = visitor.open(f"/players/{ada}")
    for told in ("Brahim 4 2 0 2 50.0 %", "unknown 1 1 0 0 100.0 %", "Pb4 1 0 0 1 0.0 %"):
        assert told in texts(page)
    assert "Longest streak, winning: 2" in texts(page)
    [head_to_head] = links(page, f"/players/{ada}/against/{brahim}")
    pair = visitor.open(head_to_head)
    assert "4 games : Dora won 2, Brahim won 2, 0 drawn" in texts(pair)
    [listed] = links(pair, "/games?")
    assert visitor.open(listed).count('href="/games/') == pair.count('href="/games/') == 4
    first, second = links(page, "/explorer?")
    assert "In the games of Dora as South." in texts(visitor.open(first))
    explored = visitor.open(second)
    assert "In the games of Dora as North." in texts(explored)
    # The next position is also explored in the player's games only.
    assert all(f"player={ada}&side=second" in one for one in links(explored, "/explorer?player"))


def test_a_report_reads_well_in_german(api: Api, players: dict[str, str]) -> None:
    api.http.set_cookie("language", "de")
    visitor = Visitor(api)
    page = texts(visitor.open(f"/players/{players['Dora']}?variant=katruji"))
    assert f"{len(GAMES)} Partien : 3 gewonnen, 0 remis, 2 verloren. Ausbeute: " in page
    assert "Längste Serie, Siege: 2" in page
    assert "Von anderen gegen ihn, als Nord" in page


def test_the_games_of_one_variant_are_told_alone(api: Api, players: dict[str, str]) -> None:
    text = texts(Visitor(api).open(f"/players/{players['Dora']}?variant=katruji"))
    assert f"{len(GAMES)} games : 3 won, 0 drawn, 2 lost" in text
    assert "South 4 3 0 1 75.0 %" in text
    without = texts(Visitor(api).open(f"/players/{players['Dora']}?variant=kerd"))
    assert "South" not in without


def test_named_openings_are_told(api: Api, players: dict[str, str]) -> None:
    opening = Opening("katruji", "Gate <b>North</b>", ("b3c4",), "N1")
    api.service.openings.replace([opening], "operator")
    api.project()
    Classification(api.service.database).run()
    page = Visitor(api).open(f"/players/{players['Dora']}")
    assert "Gate &lt;b&gt;North&lt;/b&gt; 3 3 0 0 100.0 %" in texts(page)
    assert "unknown" not in page.partition("<h2>Openings</h2>")[2]


def test_all_opponents_have_a_page(
    api: Api, players: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.pages.players.MOST_MET", 1)
    visitor = Visitor(api)
    page = visitor.open(f"/players/{players['Dora']}")
    assert "Carla" not in page.partition("<h2>Games</h2>")[0]
    [more] = links(page, f"/players/{players['Dora']}/opponents")
    assert "Carla 1 1 0 0 100.0 %" in texts(visitor.open(more))


def test_two_who_have_not_met_are_told_so(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    page = Visitor(api).open(f"/players/{ada.id}/against/{brahim.id}")
    assert "They have not finished a game against each other." in page
