"""Signing in with a browser: guests, passwords, passkeys of a virtual authenticator, tokens."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, expect
from requests.adapters import HTTPAdapter

from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.service.accounts.support import GOOD, HOME
from tests.service.web_server import WebServer

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def local(browser: Browser, server: WebServer) -> Iterator[Reader]:
    """A stranger's browser at `localhost`, where passkeys work."""
    reader = Reader(browser, f"http://localhost:{server.port}", None)
    yield reader
    reader.close()
    assert reader.faults == []
    assert reader.strangers == []


def test_a_passkey_is_made_and_signs_in_once_for_each_answer(local: Reader) -> None:
    page = local.page
    session: Any = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    local.go("/register")
    page.locator('[name="name"]').fill("Ada of the keys")
    page.locator('[name="new_password"]').fill(GOOD)
    local.send("Register")
    local.go("/account")
    page.get_by_label("Name of the device").fill("my phone")
    with page.expect_event("load"):
        local.press("Add a passkey")
    expect(page.get_by_label("Passkeys")).to_contain_text("my phone")
    local.press("More")
    local.send("Sign out")
    local.go("/sign-in?next=/players")
    with page.expect_request("**/sign-in/passkey?*") as told, page.expect_event("load"):
        local.press("Use a passkey")
    expect(page).to_have_url(f"{local.url}/players")
    expect(page.locator("#who")).to_contain_text("Ada of the keys")
    # A captured answer cannot be replayed.
    headers = {"Content-Type": "application/json"}
    sent = told.value.post_data
    again = requests.post(told.value.url, data=sent, headers=headers, timeout=60)
    assert again.status_code == 401
    assert again.json()["code"] == "passkey-refused"


def test_a_passkey_that_gets_no_answer_says_so(local: Reader) -> None:
    local.expected = ("ERR_FAILED",)
    local.go("/sign-in")
    local.page.route("**/sign-in/passkey/options", lambda route: route.abort())
    local.press("Use a passkey")
    expect(local.page.locator("#use-passkey [role=alert]")).to_have_text("No answer. Try again.")


def test_a_guest_plays_at_one_click_and_keeps_the_games(opened: Opened, server: WebServer) -> None:
    reader = opened()
    page = reader.page
    reader.go("/sign-in?next=/games/new")
    reader.send("Play as a guest")
    expect(page.locator("#who")).to_contain_text("Guest")
    guest = page.locator("#who a").first.get_attribute("href")
    reader.go("/")
    page.locator("#main").get_by_role("link", name="Keep my games").click()
    page.locator('[name="name"]').fill("Brahim the guest")
    page.locator('[name="new_password"]').fill(GOOD)
    reader.send("Register")
    expect(page.locator("#who a").first).to_have_attribute("href", str(guest))
    player = server.service.accounts.sign_in("brahim the guest", GOOD, HOME)
    assert guest == f"/players/{player}"


def test_a_token_is_made_and_copied(local: Reader) -> None:
    page = local.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    local.go("/register")
    page.locator('[name="name"]').fill("Carla of the tokens")
    page.locator('[name="new_password"]').fill(GOOD)
    local.send("Register")
    local.go("/account")
    page.get_by_label("What it is for").fill("bot")
    local.send("Make a token")
    # The word goes back after a while.
    page.evaluate("() => { window.setTimeout = () => 0; }")
    local.press("Copy")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    secret = page.locator("#secret").text_content()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    assert secret is not None
    assert secret.startswith("mlg_")


class From(HTTPAdapter):
    """Sends requests from another address of this machine."""

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(pool_maxsize=50)

    def init_poolmanager(self, *given: Any, **named: Any) -> None:
        super().init_poolmanager(*given, source_address=(self.source, 0), **named)


def test_a_flood_of_passwords_leaves_others_alone(server: WebServer) -> None:
    """While one address floods the service with wrong passwords, another can sign in."""
    server.service.accounts.register("Dora", GOOD, HOME)
    over, refused = threading.Event(), []

    def flood(number: int) -> None:
        with requests.Session() as session:
            session.mount("http://", From("127.0.0.66"))
            while not over.is_set():
                form = {"login": f"name {number}", "password": "wrong password"}
                answer = session.post(f"{server.url}/sign-in", data=form, timeout=120)
                refused.append(answer.status_code)

    with ThreadPoolExecutor(12) as threads:
        for number in range(12):
            threads.submit(flood, number)
        try:
            with requests.Session() as session:
                session.mount("http://", From("127.0.0.7"))
                form = {"login": "Dora", "password": GOOD}
                for _ in range(5):
                    answer = session.post(
                        f"{server.url}/sign-in", data=form, timeout=120, allow_redirects=False
                    )
                    assert answer.status_code == 303
                    assert session.get(f"{server.url}/healthz", timeout=120).ok
        finally:
            over.set()
    assert 429 in refused
    assert set(refused) <= {401, 429}
