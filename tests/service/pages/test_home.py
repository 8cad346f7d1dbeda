"""The first page: what waits for the reader, and a game to watch."""

from __future__ import annotations

import re
import time

import pytest

from service.pages import home
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.test_lobby import section
from tests.service.pages.visitor import Visitor


def watched(page: str) -> str:
    """The part that shows a game to watch."""
    return page.partition('<div id="watched"')[2].partition("</div>")[0]


def shown_games(part: str) -> list[str]:
    """The ids of the games in a part of a page."""
    return re.findall(r'<(?:li|tr) data-game="(.*?)"', part)


def test_a_newcomer_sees_a_board_and_what_to_do_next(api: Api) -> None:
    page = Visitor(api).open("/")
    assert "/api/v1/board.svg?variant=" in watched(page)
    assert "Yours can be the first." in page
    assert "Play the computer" in page
    for path in ("/lobby", "/games?status=running", "/sign-in"):
        assert f'href="{path}' in page
    # Empty lists are left out.
    assert "<table" not in page
    assert "Open challenges" not in page


def test_the_game_that_was_played_last_is_watched_until_it_ends(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    one, two = api.running(ada, brahim), api.running(brahim, ada)
    # Of games that change in the same millisecond, the newest counts as played last.
    time.sleep(0.002)
    api.play(one, ada, "Pd1")
    api.project()
    page = Visitor(api).open("/")
    assert f'data-watch="{one[7:]}"' in watched(page)
    assert "<bdi>Brahim</bdi> to act" in watched(page)
    assert shown_games(section(page, "played")) == [two[7:]]
    # A reader who has begun to watch a game stays with it, even if another is played meanwhile.
    time.sleep(0.002)
    api.play(two, brahim, "Pd1")
    api.project()
    assert f'data-watch="{two[7:]}"' in watched(Visitor(api).open("/"))
    assert f'data-watch="{one[7:]}"' in watched(Visitor(api).open(f"/?watch={one[7:]}"))
    api.command(one, ada, "resign")
    api.project()
    ended = watched(Visitor(api).open(f"/?watch={one[7:]}"))
    assert f'data-game="{one[7:]}"' in ended
    assert "data-watch" not in ended
    assert "<bdi>Brahim</bdi> won: resignation" in ended


def test_a_player_sees_first_what_waits_for_them(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    mine, theirs = api.running(ada, brahim), api.running(brahim, ada)
    secret = api.running(ada, brahim, variant="kerd")
    asked = api.created({"variant": "katruji", "opponent": ada.id}, eve)
    sent = api.created({"variant": "katruji", "opponent": eve.id}, ada)
    seats = {"first": {"name": "Carla"}, "second": {"name": "Dora"}}
    kept = api.scribed(ada, players=seats)
    api.project()
    page = section(Visitor(api, ada).open("/"), "yours")
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    assert heads == [
        *("Your turn", "Challenges to you", "Your other games", "Your challenges"),
        "Games you keep score for",
    ]
    parts = dict(zip(heads, re.split(r"<h2>.*?</h2>", page)[1:], strict=True))
    found = {head: shown_games(part) for head, part in parts.items()}
    assert found == {
        "Your turn": [secret[7:], mine[7:]],
        "Challenges to you": [asked[7:]],
        "Your other games": [theirs[7:]],
        "Your challenges": [sent[7:]],
        "Games you keep score for": [kept[7:]],
    }
    assert "Your secret choice" in parts["Your turn"]
    assert "Your turn</span>" in parts["Your turn"]
    assert "<bdi>Brahim</bdi> to act" in parts["Your other games"]
    # A game no longer waits for the player once they have chosen or played.
    api.command(secret, ada, "choose", square="f11")
    api.play(mine, ada, "Pd1")
    api.project()
    page = section(Visitor(api, ada).open("/"), "yours")
    assert "<h2>Your turn</h2>" not in page
    assert "<bdi>Brahim</bdi> to choose in secret" in page


def test_challenges_hide_no_game_that_is_played(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "CONCERN", 3)
    game = api.running(ada, brahim)
    for _ in range(3):
        api.created({"variant": "katruji", "opponent": ada.id}, eve)
    api.project()
    page = section(Visitor(api, ada).open("/"), "yours")
    assert shown_games(page.partition("Challenges to you")[0]) == [game[7:]]


def test_more_games_than_are_pictured_are_listed(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    paths = [api.running(ada, brahim) for _ in range(6)]
    api.project()
    page = section(Visitor(api, ada).open("/"), "yours")
    assert page.count('class="thumb"') == 4
    assert sorted(shown_games(page)) == sorted(path[7:] for path in paths)
    assert page.count("Your turn</span>") == 6
