"""What people write is plain text on every page, whatever it contains.

Everything that somebody can write holds markup here: names of players, of a tournament and of an
event, reasons, annotations. Every page that shows any of it is opened.
"""

from __future__ import annotations

import pytest
from markupsafe import escape

from service.composition.service import now
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor

MARKUP = "\"><b class='x'>&"
"""Ends an attribute, begins an element, begins a character reference."""


def hostile(name: str) -> str:
    """A name that is markup wherever it is not escaped."""
    return f"{name} {MARKUP}"


def check(page: str, *names: str) -> None:
    """Fail unless all of these names are on the page, each as plain text."""
    body = page.partition("<title>")[2]
    assert "<b class" not in body
    assert "<b class" not in page
    for name in names:
        assert str(escape(hostile(name))) in body, name


@pytest.fixture
def players(api: Api) -> tuple[NewPlayer, NewPlayer]:
    return api.player(hostile("Ann")), api.player(hostile("Bea"))


@pytest.fixture
def game(api: Api, players: tuple[NewPlayer, NewPlayer]) -> str:
    """A finished game whose tags and comments hold markup, too."""
    ann, bea = players
    path = api.running(ann, bea, tags={"Event": hostile("Event"), "TimeControl": hostile("soon")})
    noted = {"action": "Pc4", "annotation": {"comments": [hostile("Comment")]}}
    assert api.post(f"{path}/actions", noted, ann).status_code == 200
    api.command(path, ann, "offer-draw")
    api.command(path, bea, "resign")
    api.project()
    return path


def test_on_a_game_and_in_lists(api: Api, players: tuple[NewPlayer, NewPlayer], game: str) -> None:
    ann, bea = players
    visitor = Visitor(api, ann)
    shown = ("Ann", "Bea", "Event", "soon")
    check(visitor.open(game), *shown, "Comment")
    board = Visitor(api).open(game)
    assert all(str(escape(hostile(name))) in board for name in ("Ann", "Bea"))
    assert "<b class" not in board
    for listing in ("/", "/games", f"/players/{ann.id}", f"/players/{bea.id}"):
        check(visitor.open(listing), *shown)
    check(visitor.open("/players"), "Ann", "Bea")
    check(visitor.open("/players?name=ann"), "Ann")
    check(visitor.open("/search?q=ann"), *shown)
    event = visitor.api.http.get("/search", query_string={"q": hostile("Event")}).text
    check(event, *shown)
    check(visitor.open("/explorer"), "Ann")
    for path in ("/games/new", "/imports", "/analysis", "/tournaments/new", "/api", "/ratings"):
        check(visitor.open(path), "Ann")


def test_in_the_lobby(api: Api, players: tuple[NewPlayer, NewPlayer]) -> None:
    ann, bea = players
    terms = {"variant": "katruji", "tags": {"TimeControl": hostile("soon")}}
    api.created(terms, ann)
    api.created(terms | {"opponent": bea.id}, ann)
    api.project()
    for path in ("/", "/lobby"):
        for reader in (None, ann, bea):
            check(Visitor(api, reader).open(path), "Ann", "soon")


def test_in_what_a_form_is_answered_with(api: Api, ada: NewPlayer) -> None:
    visitor = Visitor(api, ada)
    asked = {"variant": hostile("Game"), "mode": "scribe"}
    asked |= {"first_name": hostile("First"), "second_name": hostile("Second")}
    asked |= {"fen": hostile("Position"), "ply_limit": hostile("Limit")}
    page = visitor.send("/games/new", **asked).text
    check(page, "First", "Second", "Position", "Limit")
    searched = api.http.get("/players", query_string={"name": hostile("Nobody")}).text
    check(searched, "Nobody")
    page = Visitor(api).send("/register", name=hostile("x" * 100)).text
    check(page, "x" * 100)
    page = Visitor(api).send("/register", name=hostile("Eve")).text
    check(page, "Eve")


def test_in_ratings(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, name=hostile("Cup"), rounds=1)
    desk.play_round()
    ratings = api.service.ratings
    ratings.close(now() + 2 * ratings.length)
    visitor = Visitor(api)
    shown = visitor.open("/ratings?variant=katruji")
    check(shown, "P0 Cup", "P1 Cup")
    check(visitor.open(f"/players/{desk.players[0].id}"), "P0 Cup")


@pytest.mark.parametrize("kind", ["swiss", "knockout", "round-robin", "free"])
def test_on_a_tournament(api: Api, arbiter: NewPlayer, kind: str) -> None:
    rounds = 3 if kind == "swiss" else None
    desk = Desk(api, arbiter, players=3, name=hostile("Cup"), kind=kind, rounds=rounds)
    names = [f"P{number} {hostile('Cup')}" for number in range(3)]
    boards = [{"first": desk.players[0].id, "second": desk.players[1].id}]
    pairing = desk.pair(**({"boards": boards} if kind == "free" else {}))["pairings"][0]
    ruled = {"round": 1, "board": pairing["board"], "result": "1-0", "reason": hostile("Reason")}
    desk.do("rule", **ruled)
    api.project()
    director, visitor = Visitor(api, arbiter), Visitor(api)
    for one in (director, visitor):
        page = one.open(desk.path)
        check(page, "Cup", "Reason")
        assert all(str(escape(name)) in page for name in names[:2])
    term = desk.get()["order"][0]
    player = desk.players[0].id
    check(visitor.open(f"{desk.path}?player={player}&term={term}"), "Cup")
    check(visitor.open(f"{desk.path}/rounds/1"), "Cup", "Reason")
    check(visitor.open("/tournaments"), "Cup")
