"""Names and passwords, guests, and what becomes of sessions, by way of the pages' forms."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from service.accounts.errors import RegistrationClosed
from service.accounts.guesses import MOST_FOR_NAME
from service.api.problem_statuses import STATUSES
from service.computer.registration import register_computers
from service.pages.session import COOKIE, DEVICE
from service.pages.signing_in import check_registration_is_open
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.conftest import Configured
from tests.service.pages.test_session import csrf, sign_in

GOOD = "correct horse battery"


def register(api: Api, name: str = "Zoë", password: str = GOOD, **more: str) -> TestResponse:
    return api.http.post("/register", data={"name": name, "new_password": password, **more})


def enter(api: Api, login: str = "Zoë", password: str = GOOD, **more: str) -> TestResponse:
    form = {"login": login, "password": password, **more}
    return api.http.post("/sign-in", data=form, headers={"Accept": "text/html"})


def leave(api: Api) -> None:
    """Forget the session and the device, as in another browser."""
    api.http.delete_cookie(COOKIE)
    api.http.delete_cookie(DEVICE)


def reader(api: Api) -> str | None:
    """The id of the player who is signed in, or None."""
    answer = api.get("/me")
    return answer.json["id"] if answer.json and answer.status_code == 200 else None


def test_the_name_of_a_guest_who_is_refused_is_kept(api: Api) -> None:
    answer = api.http.post("/guest", data={"called": "admin"})
    assert answer.status_code == 422
    assert 'placeholder="one is made up for you" value="admin"' in answer.text


def test_a_newcomer_registers_with_a_password_and_signs_in_again(api: Api) -> None:
    answer = register(api, next="/games/new")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/games/new")
    cookies = answer.headers.getlist("Set-Cookie")
    assert all("HttpOnly" in one and "SameSite=Lax" in one for one in cookies)
    zoe = reader(api)
    leave(api)
    assert reader(api) is None
    answer = enter(api, next="/players")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/players")
    assert reader(api) == zoe
    assert api.service.players.load(str(zoe)).tokens == {}


def test_a_wrong_password_and_an_unknown_name_are_refused_alike(api: Api) -> None:
    register(api)
    leave(api)
    answers = [enter(api, "Zoë", "wrong password"), enter(api, "Nobody", "wrong password")]
    assert [answer.status_code for answer in answers] == [401, 401]
    texts = [answer.text.replace("Nobody", "Zoë") for answer in answers]
    assert texts[0] == texts[1]
    assert "You could not be signed in" in texts[0]
    assert 'value="Zoë"' in texts[0]
    assert all("Set-Cookie" not in answer.headers for answer in answers)


def test_too_many_tries_are_told_and_other_ways_stay_open(api: Api, ada: NewPlayer) -> None:
    register(api)
    leave(api)
    for _ in range(MOST_FOR_NAME):
        enter(api, password="wrong password")
    answer = enter(api)
    assert answer.status_code == 429
    assert "too many tries" in answer.text
    assert sign_in(api, ada).status_code == 303


@pytest.mark.parametrize(
    ("name", "password", "status", "said"),
    [
        ("Zoë", "12345678", 422, "most common"),
        ("Zoë", "short", 422, "at least 8"),
        ("", GOOD, 422, "blank"),
        ("admin", GOOD, 422, "looks like"),
        ("a\r\nb", GOOD, 422, "invisible character"),
        ("Taken", GOOD, 409, "somebody else signs in as"),
    ],
)
def test_a_registration_that_cannot_be_says_why(
    api: Api, name: str, password: str, status: int, said: str
) -> None:
    register(api, "taken")
    leave(api)
    headers = {"Accept": "text/html"}
    form = {"name": name, "new_password": password}
    answer = api.http.post("/register", data=form, headers=headers)
    assert answer.status_code == status
    assert said in answer.text
    assert password not in answer.text.replace("New password", "")
    assert "Set-Cookie" not in answer.headers


def test_a_guest_plays_at_once_and_keeps_the_game(api: Api) -> None:
    register_computers(api.service.players)
    wish = {"variant": "katruji", "mode": "challenge", "computer": "computer-1", "side": "first"}
    answer = api.http.post("/guest", data={**wish, "called": " Mole "})
    assert answer.status_code == 303
    game = answer.headers["Location"]
    assert re.fullmatch(r"/games/[a-z2-7]{16}", game)
    page = api.http.get(game).text
    assert "Keep my games" in page
    guest = reader(api)
    assert api.get(f"/players/{guest}").json["name"] == "Mole"  # type: ignore[index]
    answer = register(api, "Zoë")
    assert answer.status_code == 303
    assert reader(api) == guest
    assert "Keep my games" not in api.http.get(game).text
    assert "Zoë" in api.http.get(game).text
    leave(api)
    enter(api)
    assert reader(api) == guest


def test_a_game_with_the_computer_begins_from_its_rules_at_the_level_chosen_last(api: Api) -> None:
    register_computers(api.service.players)
    for level in ("computer-1", "computer-3", "computer-3"):
        page = api.http.get("/rules/katruji").text
        form = page.partition('class="computer"')[2].partition("</form>")[0]
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        assert (fields["variant"], fields["computer"]) == ("katruji", level)
        path = re.search(r'action="([^"]+)"', form)
        assert path
        answer = api.http.post(path[1], data=fields | {"computer": "computer-3"})
        assert answer.status_code == 303
        game = answer.headers["Location"]
        assert re.fullmatch(r"/games/[a-z2-7]{16}", game)
        seats = api.get(game).json["players"].values()  # type: ignore[index]
        assert "computer-3" in [seat["name"] for seat in seats]
    chosen = re.search(r'<option value="([^"]+)" selected', api.http.get("/").text)
    assert chosen
    assert chosen[1] == "computer-3"


def test_a_guest_who_takes_a_token_keeps_the_games_too(api: Api) -> None:
    api.http.post("/guest")
    guest = reader(api)
    answer = api.http.post("/register", data={"name": "Zoë"})
    assert answer.status_code == 201
    found = re.search(r"mlg_\w+", answer.text)
    assert found
    assert api.service.bearers.authenticate(found[0]).actor.player == guest
    assert reader(api) == guest
    assert not api.service.accounts.proofs.is_guest(str(guest))


@pytest.mark.parametrize(
    ("wrong", "right", "reason"),
    [
        ({"fen": "nonsense"}, {"fen": ""}, "Bad position"),
        ({"timed": "yes"}, {"minutes": "5"}, "Enter how many minutes each side has on the clock."),
        ({"opponent_name": "Nobody"}, {"opponent_name": ""}, "no registered player has this name"),
    ],
)
def test_a_guests_game_that_is_refused_is_asked_again_with_the_reason(
    api: Api, wrong: dict[str, str], right: dict[str, str], reason: str
) -> None:
    wish = {"variant": "kerak", "mode": "challenge", "ply_limit": "80"} | wrong
    answer = api.http.post("/guest", data=wish)
    assert answer.status_code == 422
    assert reason in answer.text
    assert 'name="ply_limit" inputmode="numeric" pattern="[0-9]*" maxlength="9" value="80"' in (
        answer.text
    )
    guest = reader(api)
    assert f'data-reader="{guest}"' in answer.text
    form = re.search(r'action="/games/new">\s*<input [^>]*name="csrf" value="(\w+)"', answer.text)
    assert form
    again = api.http.post("/games/new", data=wish | right | {"csrf": form[1]})
    assert again.status_code == 303
    made = api.get(again.headers["Location"]).json
    assert made
    assert made["creator"] == guest


def test_the_address_of_a_refused_guest_leads_to_the_form(api: Api) -> None:
    assert api.http.post("/guest", data={"called": "\u200b"}).status_code == 422
    assert api.http.get("/guest").headers["Location"] == "/register"
    assert api.http.post("/guest", data={"variant": "kerak", "fen": "x"}).status_code == 422
    assert api.http.get("/guest").headers["Location"] == "/games/new"


def test_the_next_guest_replaces_a_session_that_has_ended(api: Api) -> None:
    api.http.post("/guest")
    first, accounts = str(reader(api)), api.service.accounts
    accounts.end_sessions(first, *(one.id for one in accounts.sessions.list_current(first)))
    api.http.post("/guest")
    assert reader(api) not in (None, first)


def test_who_is_signed_in_is_no_guest(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    assert api.http.post("/guest", data={"next": "/players"}).headers["Location"] == "/players"
    assert reader(api) == ada.id


def test_a_stranger_is_offered_to_play_as_a_guest(api: Api) -> None:
    assert 'action="/guest"' in api.http.get("/games/new").text
    assert 'action="/guest"' in api.http.get("/sign-in").text
    assert 'name="name"' in api.http.get("/register").text


def test_signing_in_begins_a_session_of_its_own_each_time(api: Api) -> None:
    """Nobody can make somebody else sign in to a session that they know."""
    register(api)
    first = api.http.get_cookie(COOKIE)
    enter(api)
    second = api.http.get_cookie(COOKIE)
    assert first is not None
    assert second is not None
    assert first.value != second.value
    api.http.set_cookie(COOKIE, first.value)
    assert reader(api) is None


def test_signing_out_ends_the_session_and_not_the_token(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    own = api.http.get_cookie(COOKIE)
    assert own is not None
    api.http.post("/sign-out", data={"csrf": csrf(api)})
    api.http.set_cookie(COOKIE, own.value)
    assert reader(api) is None
    assert api.get("/me", ada).status_code == 200


def test_a_browser_with_a_token_in_its_cookie_stays_signed_in(api: Api, ada: NewPlayer) -> None:
    """Such browsers signed in before there were sessions."""
    api.http.set_cookie(COOKIE, ada.token.secret)
    assert "Ada" in api.http.get("/").text
    assert "This browser is signed in with a token" in api.http.get("/account").text
    api.service.players.revoke(ada.id, ada.token.token.id, Principal(ada.id, None))
    page = api.http.get("/").text
    assert "You have been signed out" in page


def test_a_session_is_no_token_to_sign_in_with(api: Api) -> None:
    register(api)
    own = api.http.get_cookie(COOKIE)
    assert own is not None
    leave(api)
    answer = api.http.post("/sign-in", data={"token": own.value})
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_where_registration_is_closed_nobody_comes_in_by_themselves(
    configured: Configured,
) -> None:
    api = configured(MOVELOG_OPEN_REGISTRATION="no")
    before = api.snapshot()
    headers = {"Accept": "text/html"}
    for path, form in (("/register", {"name": "Zoë", "new_password": GOOD}), ("/guest", {})):
        answer = api.http.post(path, data=form, headers=headers)
        assert answer.status_code == 403
        assert "only an admin registers" in answer.text
        assert STATUSES[RegistrationClosed][1] in answer.text
    with api.app.test_request_context("/"), pytest.raises(RegistrationClosed):
        check_registration_is_open()
    assert api.snapshot() == before


def test_a_form_for_guests_sent_again_by_a_guest_begins_one_game_more(api: Api) -> None:
    """It comes from a page that was shown before; its key still identifies one request."""
    register_computers(api.service.players)
    wish = {"variant": "katruji", "computer": "computer-1", "side": "first"}
    paths = [
        api.http.post("/guest", data={**wish, "key": key}).headers["Location"]
        for key in ("one", "two", "two")
    ]
    assert len(set(paths)) == 2
    assert paths[1] == paths[2]
    makers = {api.service.games.load(path.removeprefix("/games/")).creator for path in paths}
    assert makers == {reader(api)}
