"""What a game's page offers its players while they play: no analysis, and nothing useless."""

from __future__ import annotations

import re
from typing import Any

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.test_analyses import asked, work
from tests.service.pages.visitor import Visitor

ANALYSES = ("Analyse the game", "Analyse this position", "Try other actions")
TAKING_BACK = 'value="offer-retraction"'
FORM = re.compile("<form.*?</form>", re.DOTALL)
FIELD = re.compile('name="(\\w+)" value="([^"]*)"')


def offered(api: Api, path: str, by: NewPlayer) -> list[bool]:
    """Whether the page offers to analyse the game, analyse its position, and try other actions."""
    page = Visitor(api, by).open(path)
    return [text in page for text in ANALYSES]


def test_no_analysis_is_offered_to_who_plays(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.play(path, ada, "Pd1")
    assert offered(api, path, eve) == [True, True, False]
    for player in (ada, brahim):
        assert offered(api, path, player) == [False, False, False]
        assert 'id="go-on" hidden' in Visitor(api, player).open(path)
    api.post("/analyses", {"game": path.removeprefix("/games/")}, eve)
    assert offered(api, path, eve) == [False, True, True]
    assert offered(api, path, ada) == [False, False, False]
    api.command(path, ada, "resign")
    assert offered(api, path, ada) == [False, True, True]


def test_another_analysis_is_offered_where_one_is_cursory_or_of_other_actions(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    """Whoever requested a short one first once decided for everybody what the page shows."""
    path = api.running(ada, brahim)
    for action, by in (("Pd1", ada), ("Pa7", brahim)):
        api.play(path, by, action)
    id = path.removeprefix("/games/")
    work(api, asked(api, eve, game=id, limits={"nodes": 1})["id"])
    assert offered(api, path, eve) == [True, True, True]
    assert "This analysis is cursory" in Visitor(api, eve).open(path)
    deep = asked(api, eve, game=id, limits={"depth": 1})["id"]
    work(api, deep)
    assert offered(api, path, eve) == [False, True, True]
    # A game that goes on is more than was analysed; actions that were taken back are none of it.
    api.play(path, ada, "Pd2")
    assert offered(api, path, eve) == [True, True, True]
    api.command(path, brahim, "offer-retraction", plies=2)
    api.command(path, ada, "accept-retraction")
    api.play(path, brahim, "Pb5")
    assert offered(api, path, eve) == [True, True, False]


def test_a_scribe_is_offered_an_analysis(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    assert offered(api, path, ada) == [True, True, False]


def test_only_who_has_played_an_action_asks_to_take_back(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)

    def asking() -> list[bool]:
        return [TAKING_BACK in Visitor(api, by).open(path) for by in (ada, brahim)]

    assert asking() == [False, False]
    api.play(path, ada, "Pd1")
    assert asking() == [True, False]
    api.play(path, brahim, "Pa7")
    assert asking() == [True, True]


def test_a_takeback_is_asked_for_only_where_the_page_showed_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    """An action that comes before the request would be taken back instead of one's own."""
    path, reader, fields = prepare_takeback(api, ada, brahim)
    api.play(path, brahim, "Pa7")
    answer = reader.send(f"{path}/commands", **fields)
    assert answer.status_code == 409
    assert "The game has moved on." in answer.text
    assert find_retraction(api, path) is None


def test_a_takeback_is_asked_for_although_an_offer_comes_meanwhile(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path, reader, fields = prepare_takeback(api, ada, brahim)
    api.command(path, brahim, "offer-draw")
    assert reader.send(f"{path}/commands", **fields).status_code == 303
    assert find_retraction(api, path) == {"side": "first", "to_ply": 0}


def prepare_takeback(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> tuple[str, Visitor, dict[str, str]]:
    """A game in which Ada has acted, she on its page, and its form that asks for a takeback."""
    path = api.running(ada, brahim)
    api.play(path, ada, "Pd1")
    reader = Visitor(api, ada)
    form = next(form for form in FORM.findall(reader.open(path)) if TAKING_BACK in form)
    return path, reader, {name: value for name, value in FIELD.findall(form) if name != "csrf"}


def find_retraction(api: Api, path: str) -> Any:
    """The takeback that is asked for in a game, None if there is none."""
    game = api.get(path).json
    assert game
    return game["retraction"]


def test_the_findings_of_a_game_are_shown_by_themselves(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.play(path, ada, "Pd1")
    api.command(path, ada, "resign")
    told = asked(api, ada, game=path.removeprefix("/games/"))
    work(api, told["id"])
    page = Visitor(api, ada).open(f"/analyses/{told['id']}")
    assert "In points; + is good for South." in page
