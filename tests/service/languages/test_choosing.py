"""Which language a page is in, and how a reader chooses it."""

from __future__ import annotations

import pytest

from service.languages.requests import COOKIE
from service.languages.texts import get_language
from tests.service.api.client import Api
from tests.service.api.conftest import api, configured

__all__ = ["api", "configured"]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "en"),
        ("de", "de"),
        ("de-AT, en;q=0.5", "de"),
        ("en-GB, de;q=0.9", "en"),
        ("fr, de;q=0.2", "de"),
        ("fr", "en"),
        ("*", "en"),
        (";;q=x", "en"),
    ],
)
def test_a_page_is_in_the_best_language_that_the_browser_takes(
    api: Api, accepted: str | None, language: str
) -> None:
    headers = {} if accepted is None else {"Accept-Language": accepted}
    answer = api.http.get("/sign-in", headers=headers)
    assert f'<html lang="{language}">' in answer.text
    assert answer.headers["Content-Language"] == language
    assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].replace(",", " ").split())
    assert get_language() == "en"


def test_the_switch_outlasts_what_the_browser_asks_for(api: Api) -> None:
    form = {"language": "de", "next": "/lobby?variant=kerd"}
    answer = api.http.post("/language", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/lobby?variant=kerd")
    page = api.http.get("/lobby", headers={"Accept-Language": "en"}).text
    assert '<html lang="de">' in page
    assert 'value="de" lang="de" aria-current="true"' in page
    assert "/bundle.de.js" in page
    api.http.post("/language", data={"language": "en"})
    page = api.http.get("/lobby", headers={"Accept-Language": "de"}).text
    assert '<html lang="en">' in page
    assert "/bundle.en.js" in page


@pytest.mark.parametrize("form", [{"language": "xx"}, {}, {"language": "../de"}])
def test_another_language_is_not_kept(api: Api, form: dict[str, str]) -> None:
    assert api.http.post("/language", data=form).status_code == 303
    assert api.http.get_cookie(COOKIE) is None


@pytest.mark.parametrize("path", ["//other.example", "https://other.example", "/\\other.example"])
def test_the_switch_leads_to_this_site_alone(api: Api, path: str) -> None:
    answer = api.http.post("/language", data={"language": "de", "next": path})
    assert answer.headers["Location"] == "/"


def test_another_site_cannot_switch(api: Api) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert api.http.post("/language", data={"language": "de"}, headers=headers).status_code == 403
    assert api.http.get_cookie(COOKIE) is None


def test_a_frame_is_in_the_language_of_its_browser(api: Api) -> None:
    answer = api.http.get("/embed/position", headers={"Accept-Language": "de"})
    assert '<html lang="de">' in answer.text


def test_problems_are_told_in_the_readers_language(api: Api) -> None:
    english, german = (
        api.http.get(f"/api/v1/games/{'a' * 16}", headers={"Accept-Language": language})
        for language in ("en", "de")
    )
    assert english.json is not None
    assert german.json is not None
    assert english.json["code"] == german.json["code"]
    assert english.json["title"] != german.json["title"]
    assert english.json["detail"] != german.json["detail"]
    assert german.headers["Content-Language"] == "de"


def test_what_a_client_has_in_one_language_is_not_taken_for_another(api: Api) -> None:
    path = "/api/v1/variants/kerd/board"
    english, german = (
        api.http.get(path, headers={"Accept-Language": language}) for language in ("en", "de")
    )
    assert english.headers["ETag"] != german.headers["ETag"]
    assert "Accept-Language" in german.headers["Vary"]
    known = {"If-None-Match": english.headers["ETag"]}
    assert api.http.get(path, headers=known).status_code == 304
    assert api.http.get(path, headers=known | {"Accept-Language": "de"}).status_code == 200
    assert english.json is not None
    assert german.json is not None
    names = [[one["name"] for one in told["figures"]] for told in (english.json, german.json)]
    assert names[0] == names[1]
    assert english.json["words"] != german.json["words"]


def test_a_refused_action_says_why_in_the_readers_language(api: Api) -> None:
    ada = api.player("Ada")
    path = api.scribed(ada)
    body = {"action": "Pa1"}
    headers = {"Authorization": f"Bearer {ada.token.secret}", "Accept-Language": "de"}
    answer = api.http.post(f"/api/v1{path}/actions", json=body, headers=headers)
    assert answer.json is not None
    assert answer.json["code"] == "illegal-move"
    assert "of the side to move" not in answer.json["detail"]
    assert answer.json["token"] == "Pa1"
