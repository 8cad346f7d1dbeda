"""Finding an opponent on the pages: by name, in the lobby, for a rematch; and aborting a game."""

from __future__ import annotations

import re

import pytest

from engine.registry import VARIANTS
from service.computer.registration import register_computers
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


def section(page: str, id: str) -> str:
    """A section of a page by its id."""
    return page.partition(f'<section id="{id}"')[2].partition("</section>")[0]


def test_a_player_is_challenged_by_name_and_finds_it_at_home(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    api.project()
    form = {"variant": "katruji", "opponent_name": "brahim", "side": "first", "private": "yes"}
    form |= {"rated": "no", "expires_in_seconds": "3600", "days": "3", "timed": "yes"}
    path = Visitor(api, ada).send("/games/new", **form).headers["Location"]
    made = api.get(path).json
    assert made
    assert made["players"]["second"]["id"] == brahim.id
    assert (made["terms"]["time_control"], made["terms"]["rated"]) == ("1/259200", False)
    api.project()
    assert path in Visitor(api, brahim).open("/")
    assert path not in Visitor(api).open("/")
    shown = Visitor(api, brahim).open(path)
    assert "3 days per move; casual (not rated); private" in shown
    assert "expires on" in shown


def test_who_is_called_so_is_asked_for_where_nobody_is(api: Api, ada: NewPlayer) -> None:
    answer = Visitor(api, ada).send("/games/new", variant="katruji", opponent_name="Nobody")
    assert answer.status_code == 422
    assert "Opponent&#39;s name: no registered player has this name" in answer.text
    assert 'value="Nobody"' in answer.text


@pytest.mark.parametrize(
    ("control", "shown"),
    [
        ("300+3", {"minutes": "5", "increment": "3", "days": ""}),
        ("1/259200", {"minutes": "", "increment": "", "days": "3"}),
    ],
)
def test_a_refused_challenge_from_the_lobby_keeps_its_clocks(
    api: Api, ada: NewPlayer, brahim: NewPlayer, control: str, shown: dict[str, str]
) -> None:
    api.project()
    wish = {"variant": "katruji", "opponent_name": "Braim", "time_control": control}
    page = Visitor(api, ada).send("/games/new", **wish).text
    for name, value in shown.items():
        assert re.search(f'name="{name}" [^>]*value="{value}"', page)
    assert 'name="timed" value="yes" checked' in page
    again = {**shown, "variant": "katruji", "opponent_name": "Brahim", "timed": "yes"}
    made = api.get(Visitor(api, ada).send("/games/new", **again).headers["Location"]).json
    assert made
    assert made["terms"]["time_control"] == control


def test_a_challenge_is_offered_to_those_who_may_accept_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer
) -> None:
    anybodys = api.created({"variant": "katruji"}, ada)
    brahims = api.created({"variant": "katruji", "opponent": brahim.id}, ada)
    accept, sign_in = ">Accept the challenge<", "to accept the challenge"
    for path, visitor, accepts, signs_in in (
        (anybodys, Visitor(api, ada), False, False),
        (anybodys, Visitor(api, arbiter), True, False),
        (anybodys, Visitor(api), False, True),
        (brahims, Visitor(api, brahim), True, False),
        (brahims, Visitor(api, arbiter), False, False),
        (brahims, Visitor(api), False, False),
    ):
        page = visitor.open(path)
        assert (accept in page, sign_in in page) == (accepts, signs_in)


def test_home_has_the_challenges_that_anybody_may_accept(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    anybody = api.created({"variant": "katruji"}, ada)
    named = api.created({"variant": "katruji", "opponent": brahim.id}, ada)
    api.project()
    shown = Visitor(api).open("/")
    assert anybody in shown
    assert named not in shown.partition("Open challenges")[2].partition("Being played")[0]


def test_a_game_is_aborted_before_its_first_action(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    visitor = Visitor(api, ada)
    assert "Abort the game" in visitor.open(path)
    assert "Abort the game" not in Visitor(api).open(path)
    assert visitor.send(f"{path}/commands", type="abort").status_code == 303
    assert "Abort the game" not in visitor.open(path)
    other = api.running(ada, brahim)
    api.play(other, ada, "Sd1")
    assert "Abort the game" not in visitor.open(other)


def test_an_ended_games_page_offers_a_rematch(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    visitor = Visitor(api, ada)
    assert "Rematch" not in visitor.open(path)
    refused = visitor.send(f"{path}/rematch")
    assert refused.status_code == 409
    assert "it is not over" in refused.text
    api.command(path, brahim, "resign")
    assert "Rematch" in visitor.open(path)
    assert "Rematch" not in Visitor(api, eve).open(path)
    asked = visitor.send(f"{path}/rematch")
    assert asked.status_code == 303
    answered = Visitor(api, brahim).send(f"{path}/rematch")
    assert answered.headers["Location"] == asked.headers["Location"]
    game = api.get(asked.headers["Location"]).json
    assert game
    assert (game["status"], game["players"]["first"]["id"]) == ("running", brahim.id)


def test_the_computer_is_challenged_from_the_form(api: Api, ada: NewPlayer) -> None:
    register_computers(api.service.players)
    visitor = Visitor(api, ada)
    form = visitor.open("/games/new?computer=computer-3")
    assert '<option value="computer-3" selected>level 3</option>' in form
    answer = visitor.send("/games/new", variant="katruji", computer="computer-2", side="first")
    made = api.get(answer.headers["Location"]).json
    assert made
    assert made["players"]["second"]["name"] == "computer-2"
    assert made["terms"]["rated"] is False
    refused = visitor.send("/games/new", variant="katruji", computer="computer-2", rated="yes")
    assert refused.status_code == 422
    assert "For ratings: the computer plays casual games only" in refused.text
    assert '<option value="computer-2" selected>' in refused.text


@pytest.mark.parametrize("path", ["/", "/lobby"])
def test_the_computer_plays_at_the_second_click(api: Api, ada: NewPlayer, path: str) -> None:
    """One click leads to the site, the next begins the game; the level can be changed before."""
    register_computers(api.service.players)
    page = Visitor(api, ada).open(path)
    form = page.partition('<form class="computer"')[2].partition("</form>")[0]
    assert re.findall(r'name="variant" value="(.*?)"', form) == list(VARIANTS)
    assert '<option value="computer-2" selected>' in form
    assert re.findall(r'<option value="(\w+)">([^<]*)</option>', form)[-3:] == [
        ("random", "random"),
        ("first", "first (South, Red, White)"),
        ("second", "second (North, Blue, Black)"),
    ]
    for side in ("random", "first", "second"):
        asked = {"variant": "kerak", "computer": "computer-2", "side": side}
        answer = Visitor(api, ada).send("/games/new", **asked)
        made = api.get(answer.headers["Location"]).json
        assert made
        names = {seat: one["name"] for seat, one in made["players"].items()}
        assert set(names.values()) == {"Ada", "computer-2"}
        assert side == "random" or names[side] == "Ada"


@pytest.mark.parametrize("path", ["/", "/lobby"])
def test_a_newcomer_plays_the_computer_at_the_second_click(api: Api, path: str) -> None:
    """On either side: a visitor's form sends the choice, too."""
    register_computers(api.service.players)
    form = Visitor(api).open(path).partition('<form class="computer"')[2].partition("</form>")[0]
    assert 'action="/guest"' in form
    assert '<option value="second">second (North, Blue, Black)' in form
    for side, other in (("first", "second"), ("second", "first")):
        asked = {"variant": "kerak", "computer": "computer-2", "side": side}
        made = api.get(Visitor(api).send("/guest", **asked).headers["Location"]).json
        assert made
        assert made["variant"] == "kerak"
        assert made["players"][other]["name"] == "computer-2"


def test_a_link_to_challenge_a_player_names_them_on_the_form(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    page = Visitor(api, ada).open(f"/games/new?opponent={brahim.id}")
    assert f'Opponent: <a href="/players/{brahim.id}">Brahim</a>' in page
    form = {"variant": "katruji", "opponent": brahim.id, "side": "second"}
    made = api.get(Visitor(api, ada).send("/games/new", **form).headers["Location"]).json
    assert made
    assert made["players"]["first"]["id"] == brahim.id
    for nobody in ("a" * 16, "Brahim"):
        page = Visitor(api, ada).open(f"/games/new?opponent={nobody}")
        assert 'name="opponent_name"' in page


def test_the_lobby_lists_challenges_by_their_terms_with_the_answer_in_the_row(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    slow = api.created({"variant": "katruji", "side": "first"}, ada)
    blitz = api.created({"variant": "kerd", "time_control": "180+2", "rated": False}, ada)
    api.created({"variant": "katruji", "visibility": "private"}, ada)
    api.project()
    lobby = Visitor(api, brahim).open("/lobby")
    shown = section(lobby, "open")
    assert re.findall(r'<li data-game="(.*?)"', shown) == [blitz[7:], slow[7:]]
    assert "3 minutes a side and 2 seconds per move" in shown
    assert "plays South" in shown
    assert shown.count(">Accept<") == 2
    assert section(Visitor(api, ada).open("/lobby"), "open").count(">Withdraw<") == 2
    assert section(Visitor(api).open("/lobby"), "open").count(">Play as a guest<") == 2
    for query, found in (("speed=blitz", blitz), ("variant=katruji", slow), ("rated=true", slow)):
        page = section(Visitor(api, brahim).open(f"/lobby?{query}"), "open")
        assert re.findall(r'<li data-game="(.*?)"', page) == [found[7:]]
    assert "No open challenge matches." in Visitor(api).open("/lobby?variant=kerak")


def test_whom_one_challenges_is_a_whole_sentence_in_german(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    api.created({"variant": "katruji", "side": "first", "opponent": brahim.id}, ada)
    api.created({"variant": "katruji", "side": "first"}, ada)
    api.project()
    api.http.set_cookie("language", "de")
    lobby = Visitor(api, ada).open("/lobby")
    link = f'<a href="/players/{brahim.id}">Brahim</a>'
    assert f"Du forderst {link} heraus" in section(lobby, "yours")
    assert "Du forderst jeden heraus, der mag" in section(lobby, "yours")
    assert f'<a href="/players/{ada.id}">Ada</a> (du) spielt Süd' in section(lobby, "open")


def test_a_challenge_is_accepted_declined_and_withdrawn_in_the_lobby(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    opened, named, other = (
        api.created({"variant": "katruji", "side": "first"} | more, ada)
        for more in ({}, {"opponent": brahim.id}, {"opponent": brahim.id})
    )
    api.project()
    yours = section(Visitor(api, brahim).open("/lobby"), "yours")
    assert yours.count("challenges you; you would be North") == 2
    assert "You challenge" not in yours
    assert section(Visitor(api, ada).open("/lobby"), "yours").count("You challenge") == 3
    answer = Visitor(api, brahim).send(f"/lobby{opened[6:]}", type="accept")
    assert (answer.status_code, answer.headers["Location"]) == (303, opened)
    for by, path, type in ((brahim, named, "decline"), (ada, other, "withdraw")):
        answer = Visitor(api, by).send(f"/lobby{path[6:]}", type=type)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/lobby")
    told: dict[str, str] = {}
    for path in (opened, named, other):
        game = api.get(path).json
        assert game
        told[path] = game["status"]
    assert told == {opened: "running", named: "declined", other: "withdrawn"}
    late = Visitor(api, brahim).send(f"/lobby{other[6:]}", type="accept")
    assert (late.status_code, late.mimetype) == (409, "text/html")
    assert 'class="problem"' in late.text
    assert "<h1>Lobby</h1>" in late.text
    assert Visitor(api, brahim).send(f"/lobby{opened[6:]}", type="resign").status_code == 422


def test_a_challenge_made_in_the_lobby_has_the_time_chosen(api: Api, ada: NewPlayer) -> None:
    page = Visitor(api, ada).open("/lobby")
    assert '<option value="600+5">10 minutes a side and 5 seconds per move<' in page
    form = {"variant": "katruji", "time_control": "600+5", "side": "second", "rated": "no"}
    path = Visitor(api, ada).send("/games/new", **form).headers["Location"]
    made = api.get(path).json
    assert made
    assert (made["terms"]["time_control"], made["terms"]["rated"]) == ("600+5", False)
    assert made["players"]["second"]["id"] == ada.id
    assert made["clocks"]["first_ms"] == 600_000


def test_one_of_two_players_of_a_name_is_challenged_by_the_mark(api: Api, ada: NewPlayer) -> None:
    twins = [api.player("Ann Lee") for _ in range(2)]
    api.project()
    asked = {"variant": "katruji", "opponent_name": "Ann Lee"}
    assert Visitor(api, ada).send("/games/new", **asked).status_code == 422
    for twin in twins:
        asked["opponent_name"] = f"ann lee #{twin.id[:4].upper()}"
        path = Visitor(api, ada).send("/games/new", **asked).headers["Location"]
        made = api.get(path).json
        assert made
        assert twin.id in {seat["id"] for seat in made["players"].values()}
    asked["opponent_name"] = "Ann Lee #ZZZZ"
    assert Visitor(api, ada).send("/games/new", **asked).status_code == 422
