"""The account page: names, passwords, sessions, tokens."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from service.accounts.addresses import MOST_SENT
from service.accounts.links import PATHS
from service.accounts.proofs import FRESH
from service.jobs.job_kinds import MAIL
from service.pages.session import COOKIE, DEVICE
from service.player.repository import NewPlayer
from tests.service.accounts.authenticator import Authenticator
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured
from tests.service.api.test_mail import MAILING
from tests.service.pages.test_session import csrf, sign_in
from tests.service.pages.test_signing_in import GOOD, enter, leave, reader, register

BETTER = "staple and something"


def send(api: Api, what: str, **fields: str) -> TestResponse:
    """Send a form of the account page; returns the answer."""
    form = {"csrf": csrf(api), **fields}
    return api.http.post(f"/account/{what}", data=form, headers={"Accept": "text/html"})


def test_a_stranger_signs_in_first(api: Api) -> None:
    answer = api.http.get("/account", headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert "/sign-in?next=/account" in answer.text


def test_what_a_token_may_do_is_a_whole_sentence_in_german(api: Api) -> None:
    register(api)
    send(api, "issue-token", name="bot", **{"scope-play": "yes", "days": "30"})
    send(api, "issue-token", name="other", **{"scope-play": "yes", "days": ""})
    api.http.set_cookie("language", "de")
    page = api.http.get("/account").text
    assert re.search(r"Darf [^;<]+; ausgestellt am [\d.: ]+, gültig bis [\d.: ]+<", page)
    assert re.search(r"Darf [^;<]+; ausgestellt am [\d.: ]+, gültig, bis du es widerrufst<", page)


def test_a_player_is_renamed_and_signs_in_as_before(api: Api) -> None:
    register(api)
    assert send(api, "name", name="Zoë <i>Smith</i>").status_code == 303
    page = api.http.get("/account").text
    assert "Zoë &lt;i&gt;Smith&lt;/i&gt;" in page
    assert "You sign in as <strong>Zoë</strong>" in page
    assert send(api, "name", name="admin").status_code == 422
    leave(api)
    assert enter(api).status_code == 303


def test_a_new_password_signs_every_other_browser_out(api: Api) -> None:
    register(api)
    elsewhere = api.http.get_cookie(COOKIE)
    leave(api)
    enter(api)
    fields = {"login": "Zoë", "new_password": BETTER, "password": GOOD}
    assert send(api, "password", **fields).status_code == 303
    assert reader(api) is not None
    assert elsewhere is not None
    leave(api)
    api.http.set_cookie(COOKIE, elsewhere.value)
    assert reader(api) is None
    leave(api)
    assert enter(api).status_code == 401
    assert enter(api, password=BETTER).status_code == 303


def test_a_borrowed_browser_cannot_change_the_password(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(api)
    now = api.service.accounts.clock()
    monkeypatch.setattr(api.service.accounts.proofs, "clock", lambda: now + FRESH)
    fields = {"login": "Zoë", "new_password": BETTER}
    answer = send(api, "password", **fields)
    assert answer.status_code == 403
    assert "signed in a while ago" in answer.text
    assert send(api, "password", **fields, password="wrong password").status_code == 401
    assert send(api, "password", **fields, password=GOOD).status_code == 303


@pytest.mark.parametrize(
    ("what", "fields", "kept"),
    [
        ("name", {"name": "admin"}, ['value="admin"']),
        ("password", {"login": "Zoë L.", "new_password": BETTER}, ['value="Zoë L."']),
        ("address", {"address": "zoe@club.example"}, ['value="zoe@club.example"']),
        (
            "issue-token",
            {"name": "my <bot>", "days": "365"},
            ['value="my &lt;bot&gt;"', '<option value="365" selected>'],
        ),
    ],
)
def test_a_refused_form_keeps_what_was_typed_but_passwords(
    configured: Configured,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    fields: dict[str, str],
    kept: list[str],
) -> None:
    api = configured(**MAILING)
    register(api)
    now = api.service.accounts.clock()
    monkeypatch.setattr(api.service.accounts.proofs, "clock", lambda: now + FRESH)
    answer = send(api, what, **fields, password="wrong password")
    assert answer.status_code in (401, 422)
    form = answer.text.partition(f'action="/account/{what}"')[2].partition("</form>")[0]
    assert [text for text in kept if text not in form] == []
    assert ('name="scope-play" value="yes" checked' in answer.text) == (what != "issue-token")
    assert "wrong password" not in answer.text
    assert BETTER not in answer.text


def test_a_player_with_a_token_chooses_a_password(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    assert send(api, "password", login="Ada", new_password="ada").status_code == 422
    assert send(api, "password", login="Ada", new_password=GOOD).status_code == 303
    leave(api)
    assert enter(api, "Ada").status_code == 303
    assert reader(api) == ada.id


def test_the_only_way_in_cannot_be_removed(api: Api) -> None:
    register(api)
    answer = send(api, "remove-password")
    assert answer.status_code == 409
    assert "your only way to sign in" in answer.text


def test_sessions_are_listed_and_ended(api: Api) -> None:
    agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
    form = {"name": "Zoë", "new_password": GOOD}
    api.http.post("/register", data=form, headers={"User-Agent": agent})
    old = api.http.get_cookie(COOKIE)
    leave(api)
    enter(api)
    page = api.http.get("/account").text
    assert "Firefox on Windows" in page
    assert "(this browser)" in page
    found = re.findall(r'name="session" value="(\w+)"', page)
    assert len(found) == 1
    assert send(api, "end-session", session=found[0]).status_code == 303
    assert "Firefox on Windows" not in api.http.get("/account").text
    assert old is not None
    own = api.http.get_cookie(COOKIE)
    api.http.set_cookie(COOKIE, old.value)
    assert reader(api) is None
    assert own is not None
    api.http.set_cookie(COOKIE, own.value)
    assert reader(api) is not None


def test_nobody_ends_another_players_session(api: Api) -> None:
    register(api, "Zoë")
    (session,) = api.service.accounts.sessions.list_current(str(reader(api)))
    zoes = api.http.get_cookie(COOKIE)
    leave(api)
    register(api, "Eve")
    send(api, "end-session", session=session.id)
    assert zoes is not None
    api.http.set_cookie(COOKIE, zoes.value)
    assert reader(api) is not None


def test_tokens_are_made_named_shown_once_and_revoked(api: Api) -> None:
    register(api)
    fields = {"name": "my <bot>", "days": "30", "scope-play": "yes"}
    answer = send(api, "issue-token", **fields)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    found = re.search(r"mlg_\w+", answer.text)
    assert found
    assert "data-copy" in answer.text
    bearer = api.service.bearers.authenticate(found[0])
    assert bearer.actor.player == reader(api)
    assert bearer.actor.scopes == {"play"}
    page = api.http.get("/account").text
    assert found[0] not in page
    assert "my &lt;bot&gt;" in page
    assert "valid until" in page
    (token,) = re.findall(r'name="token" value="(\w+)"', page)
    assert token == bearer.token
    assert send(api, "revoke-token", token=token).status_code == 303
    assert "You have no tokens" in api.http.get("/account").text
    assert send(api, "revoke-token", token="../x").status_code == 303


def test_a_token_may_no_more_than_its_giver(api: Api) -> None:
    register(api)
    answer = send(api, "issue-token", name="bot", **{"scope-admin": "yes"})
    assert answer.status_code == 403
    answer = send(api, "issue-token", name="bot")
    assert answer.status_code == 422


def test_an_address_is_added_and_a_link_signs_in(configured: Configured) -> None:
    api = configured(**MAILING)
    register(api)
    zoe = str(reader(api))
    assert send(api, "address", address="zoe").status_code == 422
    assert send(api, "address", address="zoe@club.example").status_code == 303
    assert "A link was sent to <strong>zoe@club.example</strong>" in api.http.get("/account").text
    path = mailed(api)
    assert "as Zoë can be sent" in api.http.get(path).text
    assert "Your address is confirmed" in confirm(api, path).text
    assert error(confirm(api, path)) == (422, "bad-sign-in-link")
    leave(api)
    answers = [
        api.http.post("/sign-in/link", data={"address": address})
        for address in ("zoe@club.example", "nobody@club.example")
    ]
    assert {answer.status_code for answer in answers} == {202}
    assert answers[0].text.replace("zoe@", "nobody@") == answers[1].text
    path = mailed(api)
    assert "Sign in as Zoë" in api.http.get(path).text
    assert reader(api) is None
    answer = api.http.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert reader(api) == zoe
    assert send(api, "password", login="Zoë", new_password=BETTER).status_code == 303
    leave(api)
    assert error(api.http.post(path)) == (422, "bad-sign-in-link")
    assert "E-mail address" in api.http.get("/sign-in").text
    refused = api.http.post("/sign-in/link", data={"address": "a\r\nBcc: b@c.example"})
    assert refused.status_code == 422
    refused = api.http.post("/sign-in/link", data={"address": "zoe@club"})
    assert refused.status_code == 422
    assert 'value="zoe@club"' in refused.text


def confirm(api: Api, path: str) -> TestResponse:
    """Press the button behind a link that confirms an address; returns the answer."""
    return api.http.post(path, data={"csrf": csrf(api)})


def test_nobody_confirms_an_address_for_another_player(configured: Configured) -> None:
    api = configured(**MAILING)
    register(api, "Eve")
    send(api, "address", address="zoe@club.example")
    path = mailed(api)
    leave(api)
    answer = api.http.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert f"/sign-in?next={path}" in answer.text
    assert api.http.post(path).status_code == 401
    register(api, "Zoë")
    assert error(api.http.get(path)) == (403, "anothers-link")
    assert error(confirm(api, path)) == (403, "anothers-link")
    eves = set(list_mailed(api))
    send(api, "address", address="zoe@club.example")
    (own,) = set(list_mailed(api)) - eves
    assert "Your address is confirmed" in confirm(api, own).text


def test_strangers_asking_for_links_leave_the_owner_hers(configured: Configured) -> None:
    api = configured(**MAILING)
    register(api)
    send(api, "address", address="zoe@club.example")
    confirm(api, mailed(api))
    device = api.http.get_cookie(DEVICE)
    assert device is not None
    leave(api)
    sent = send_links(api, 5 * MOST_SENT)
    assert sent == MOST_SENT
    # Another network still gets a link, and so does the owner's own browser in the stranger's.
    assert send_links(api, 1, "198.51.100.7") == sent + 1
    api.http.set_cookie(DEVICE, device.value)
    assert send_links(api, 1) == sent + 2


def send_links(api: Api, times: int, network: str = "192.0.2.9") -> int:
    """Request a link to Zoë's address `times` times; returns how many have been sent by now."""
    for _ in range(times):
        answer = api.http.post(
            "/sign-in/link",
            data={"address": "zoe@club.example"},
            environ_overrides={"REMOTE_ADDR": network},
        )
        assert answer.status_code == 202
    return len(list_mailed(api))


def mailed(api: Api) -> str:
    """The path of the link in the only mail that waits to be sent."""
    (path,) = list_mailed(api)
    return path


def list_mailed(api: Api) -> list[str]:
    """The paths of the links in mails that wait to be sent."""
    accounts = api.service.accounts
    jobs = [api.service.jobs.get(id) for id in api.service.jobs.due([MAIL])]
    found = [accounts.addresses.find_recipient(job.arguments["link"]) for job in jobs]
    return [
        f"{PATHS[recipient[0].purpose]}{accounts.links.write(job.arguments['link'])}"
        for job, recipient in zip(jobs, found, strict=True)
        if recipient is not None
    ]


def test_only_an_admin_makes_a_link_for_another_player(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    assert error(api.post(f"/players/{ada.id}/sign-in-link", {}, ada)) == (403, "missing-scope")
    assert error(api.post(f"/players/{'a' * 16}/sign-in-link", {}, admin)) == (404, "not-found")
    answer = api.post(f"/players/{ada.id}/sign-in-link", {}, admin)
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json is not None
    path = f"/sign-in/link/{answer.json['token']}"
    assert api.http.post(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert api.http.post(path).status_code == 303
    assert reader(api) == ada.id


def test_passkeys_are_offered_where_browsers_have_them(api: Api) -> None:
    assert "use-passkey" in api.http.get("/sign-in", base_url="http://localhost").text
    assert "use-passkey" in api.http.get("/sign-in", base_url="https://club.example").text
    for elsewhere in ("http://club.example", "https://192.0.2.1"):
        assert "use-passkey" not in api.http.get("/sign-in", base_url=elsewhere).text
        answer = api.http.post("/sign-in/passkey/options", base_url=elsewhere)
        assert answer.status_code == 401


def test_a_passkey_is_added_and_signs_in(api: Api) -> None:
    register(api)
    zoe, own = reader(api), Authenticator("http://localhost", "localhost")
    headers = {"X-CSRF-Token": csrf(api)}
    begun = api.http.post("/account/passkeys/options", json={}, headers=headers)
    made = {"credential": own.make(begun.json), "name": "phone <1>"}  # type: ignore[arg-type]
    answer = api.http.post("/account/passkeys", json=made, headers=headers)
    assert answer.json == {"next": "/account"}
    assert "phone &lt;1&gt;" in api.http.get("/account").text
    leave(api)
    options = api.http.post("/sign-in/passkey/options", json={}).json
    found = {"credential": own.answer(options)}  # type: ignore[arg-type]
    for next, told in (("https://elsewhere.example", 200), ("/players", 401)):
        answer = api.http.post(f"/sign-in/passkey?next={next}", json=found)
        assert answer.status_code == told
        if told == 200:
            assert answer.json == {"next": "/"}
    assert reader(api) == zoe
    assert send(api, "remove-passkey", passkey=found["credential"]["id"]).status_code == 303
    assert "phone &lt;1&gt;" not in api.http.get("/account").text
    for odd in (b"[]", b"[" * 50_000, b"{", b'{"credential": "\\ud800"}', b"\xff"):
        assert api.http.post("/sign-in/passkey", data=odd).status_code == 401


def test_no_browser_sends_much_for_a_passkey(api: Api) -> None:
    register(api)
    headers = {"X-CSRF-Token": csrf(api)}
    for path in ("/account/passkeys/options", "/account/passkeys", "/sign-in/passkey"):
        sent = {"credential": "x" * 64 * 1024}
        assert error(api.http.post(path, json=sent, headers=headers)) == (413, "too-large"), path


def test_what_cannot_be_changed_is_not_found(api: Api) -> None:
    register(api)
    assert send(api, "nonsense").status_code == 404
