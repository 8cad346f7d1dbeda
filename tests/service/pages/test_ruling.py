"""Ruling R35 on a game's page: reopening and retracting are offered to those who may."""

from __future__ import annotations

import re
from html import unescape

import pytest

from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.game.support import YARA

PLAYED = ("offer-draw", "resign")


def look(api: Api, path: str, by: NewPlayer | None) -> str:
    """The page as this player, or a stranger, sees it."""
    if by is None:
        api.http.delete_cookie(COOKIE)
    else:
        api.http.set_cookie(COOKIE, by.token.secret)
    return api.http.get(path).text


def send(api: Api, page: str, type: str, **filled: str) -> str:
    """Fill in the page's form of a command; returns the page that it leads to."""
    form = next(one for one in page.split("<form")[1:] if f'name="type" value="{type}"' in one)
    action = re.search(r'action="([^"]+)"', form)
    assert action is not None
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    answer = api.http.post(unescape(action[1]), data=hidden | filled, follow_redirects=True)
    assert answer.status_code == 200
    return answer.text


@pytest.fixture
def ended(api: Api, ada: NewPlayer) -> str:
    path = api.scribed(ada, fen=YARA)
    api.play(path, ada, "Oxa5")
    return path


def test_r35_a_scribe_reopens_a_game_and_retracts_on_its_page(
    api: Api, ada: NewPlayer, ended: str
) -> None:
    page = look(api, ended, ada)
    assert "Reopen the game" in page
    page = send(api, page, "reopen", reason="misheard")
    assert "retract the wrong action" in page
    # What would be refused before the retraction is not offered.
    assert {type for type in PLAYED if f'name="type" value="{type}"' in page} == set()
    assert 'value="offer-retraction"' in page
    page = send(api, page, "retract", plies="1")
    assert {type for type in PLAYED if f'name="type" value="{type}"' in page} == set(PLAYED)
    assert "retract the wrong action" not in page
    state = api.service.games.load(ended.removeprefix("/games/"))
    assert (len(state.played), state.ending) == (0, None)


def test_r35_only_who_may_rule_is_offered_to(
    api: Api, ada: NewPlayer, eve: NewPlayer, arbiter: NewPlayer, ended: str
) -> None:
    offered = {by: "Reopen the game" in look(api, ended, by) for by in (ada, arbiter, eve, None)}
    assert offered == {ada: True, arbiter: True, eve: False, None: False}
