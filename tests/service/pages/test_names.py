"""Players' names on pages: always plain text, with a mark wherever two look alike."""

from __future__ import annotations

import re
import time

import pytest

from service.composition.service import now
from service.pages.session import COOKIE
from tests.service.api.client import Api
from tests.service.api.conftest import Configured
from tests.service.api.tournaments import Desk

NAME = "<i>Ann</i> & Co"
SHOWN = "&lt;i&gt;Ann&lt;/i&gt; &amp; Co"


class Stage:
    """Two players of the same name in games, ratings, a Swiss tournament and a knockout."""

    def __init__(self, configured: Configured) -> None:
        self.api = configured(MOVELOG_RATING_PERIOD="1")
        arbiter = self.api.player("Ann Arbiter", "play", "arbiter")
        self.two = [self.api.player(NAME, "play", "arbiter") for _ in range(2)]
        self.marks = [player.id[:4].upper() for player in self.two]
        self.paths = []
        for kind, rounds in (("swiss", 3), ("knockout", None)):
            desk = Desk(self.api, arbiter, players=0, kind=kind, rounds=rounds, name=kind)
            desk.players = self.two
            for player in self.two:
                desk.do("enter", player=player.id)
                desk.do("appoint-arbiter", player=player.id)
            desk.play_round()
            self.paths.append(desk.path)
        desk.do("dismiss-arbiter", player=arbiter.id)
        self.game = self.api.running(*self.two)
        desk.work()
        time.sleep(1)  # the shortest rating period there is
        self.api.service.ratings.close(now())

    def text(self, path: str) -> str:
        answer = self.api.http.get(path)
        assert answer.status_code == 200, path
        return answer.text


@pytest.fixture
def stage(configured: Configured) -> Stage:
    return Stage(configured)


@pytest.mark.slow
def test_names_are_text_with_the_mark_behind_them_on_every_page(stage: Stage) -> None:
    one, (swiss, knockout) = stage.two[0], stage.paths
    stage.api.http.set_cookie(COOKIE, one.token.secret)
    explained = f"?player={one.id}&term=match-points"
    least = {
        "/": 1,
        "/players": 3,
        f"/players/{one.id}": 4,
        "/ratings?variant=katruji": 3,
        "/games": 3,
        stage.game: 4,
        "/explorer?variant=katruji": 3,
        swiss: 20,
        swiss + explained: 21,
        f"{swiss}/rounds/1": 3,
        knockout: 10,
    }
    for path, count in least.items():
        text = stage.text(path)
        assert "<i>Ann" not in text, path
        found = re.findall(re.escape(SHOWN) + r"( #([A-Z2-7]+))?", text)
        assert {mark for _, mark in found} <= set(stage.marks), path
        assert len(found) >= count, (path, len(found))


def test_who_registers_is_shown_the_mark(stage: Stage) -> None:
    answer = stage.api.http.post("/register", data={"name": NAME})
    assert answer.status_code == 201
    assert re.search(re.escape(f"Welcome, {SHOWN}") + " #[A-Z2-7]{4}", answer.text)


def test_a_name_that_cannot_be_is_explained_on_the_form(api: Api) -> None:
    answer = api.http.post("/register", data={"name": "Vіctim"})
    assert answer.status_code == 422
    assert "mixes Cyrillic and Latin; write each word in one script" in answer.text
