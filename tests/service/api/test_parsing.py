"""Headers, parameters and bodies at the limits of what is accepted."""

from __future__ import annotations

import json

import pytest

from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Bearer2", "mlg", "Digest"])
def test_a_token_under_another_scheme_is_none(api: Api, ada: NewPlayer, scheme: str) -> None:
    for path in ("/me", "/games"):
        answer = api.get(path, Authorization=f"{scheme} {ada.token.secret}")
        assert error(answer) == (401, "bad-token")


@pytest.mark.parametrize("written", ["Bearer {}", "bearer {}", "BEARER {}", "Bearer   {} "])
def test_a_bearer_token_however_the_scheme_is_written(
    api: Api, ada: NewPlayer, written: str
) -> None:
    answer = api.get("/me", Authorization=written.format(ada.token.secret))
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("key", "taken"), [("k", True), ("x" * 255, True), (" ~", True), ("x" * 256, False)]
)
def test_the_bounds_of_an_idempotency_key(
    api: Api, ada: NewPlayer, game: str, key: str, taken: bool
) -> None:
    answers = [api.post(f"{game}/actions", {"action": "Pd1"}, ada, key) for _ in range(2)]
    assert {answer.status_code for answer in answers} == {200 if taken else 400}
    assert answers[0].data == answers[1].data


def test_a_new_player_needs_a_long_key(api: Api) -> None:
    short, long = "k" * 15, "k" * 16
    assert error(api.post("/players", {"name": "Ada"}, key=short)) == (400, "malformed-header")
    made = [api.post("/players", {"name": "Ada"}, key=long) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[0].data == made[1].data


@pytest.mark.parametrize("tag", ['"2-a"x', 'x"2"', 'W/"2"W', '"2-a"\t"3"'])
def test_an_etag_with_something_beside_it(api: Api, ada: NewPlayer, game: str, tag: str) -> None:
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, ada, If_Match=tag)
    assert error(answer) == (400, "malformed-header")


def test_if_match_goes_before_the_expected_version(api: Api, ada: NewPlayer, game: str) -> None:
    body = {"action": "Pd1", "expected_version": 1}
    assert api.post(f"{game}/actions", body, ada, If_Match='"2"').status_code == 200
    body = {"action": "Pd2", "expected_version": 3}
    assert error(api.post(f"{game}/actions", body, ada, If_Match='"2"')) == (412, "stale-match")


@pytest.mark.parametrize(("digits", "detail"), [(300, False), (301, True)])
def test_how_long_a_number_may_be(
    api: Api, ada: NewPlayer, game: str, digits: int, detail: bool
) -> None:
    raw = b'{"action": "Pd1", "expected_version": %s}' % (b"9" * digits)
    answer = api.send("POST", f"{game}/actions", ada, raw, "application/json")
    assert error(answer) == ((400, "malformed-json") if detail else (422, "invalid-request"))


def test_no_body_is_an_empty_object_of_any_kind(api: Api, ada: NewPlayer, game: str) -> None:
    for kind in (None, "application/json"):
        answer = api.send("POST", f"{game}/commands", ada, b"", kind)
        assert error(answer) == (422, "invalid-request")
    raw = json.dumps({"action": "Pd1"}).encode()
    assert api.send("POST", f"{game}/actions", ada, raw).status_code == 200


@pytest.mark.parametrize(
    ("text", "status"),
    [
        *((good, 200) for good in ("1", "200", "00001")),
        *((bad, 400) for bad in ("0", "201", "+1", "1.0", "", "0" * 9 + "1")),
        *((bad, 400) for bad in ("\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT TWO}")),
    ],
)
def test_a_whole_number(api: Api, text: str, status: int) -> None:
    answer = api.get("/games", query={"limit": text})
    assert answer.status_code == status
    assert status == 200 or error(answer) == (400, "bad-parameter")


def test_a_parameter_is_given_once(api: Api) -> None:
    for query in ("limit=1&limit=1", "limit=1&limit=2", "limit=1&limit=1&limit=1"):
        assert error(api.get(f"/search?{query}")) == (400, "bad-parameter")


@pytest.mark.parametrize(
    "query",
    [
        *({"since": day} for day in ("1999.13.01", "1999.00.01", "1999.01.32", "1999.01.00")),
        *({"since": day} for day in ("1999.12.31x", "x1999.12.31", "1999.1.1", "99.12.31")),
        {"until": "1999/12/31"},
        *({"tag": tag} for tag in (":x", " Event:x", "Ev-ent:x", "_E:x", "E" * 256 + ":x")),
        *({"tag": tag} for tag in ("Result:1-0", "FEN:x", "Variant:kerak", "UTCDate:x"[3:])),
    ],
)
def test_days_and_tags_that_cannot_be(api: Api, query: dict[str, str]) -> None:
    assert error(api.get("/search", query=query)) == (400, "bad-parameter")


@pytest.mark.parametrize(
    "query",
    [
        *({"since": day} for day in ("1999-12-31", "1999.12.31", "1999.01.01", "1999-10-09")),
        *({"tag": tag} for tag in ("E:", "E1_x:a:b", "Event:two\nlines", "E" * 255 + ":x")),
    ],
)
def test_days_and_tags_that_can(api: Api, query: dict[str, str]) -> None:
    answer = api.get("/search", query=query)
    assert answer.status_code == 200, answer.text


def test_a_query_that_cannot_be_is_told_before_anything_is_streamed(api: Api) -> None:
    for path in ("/search", "/export"):
        answer = api.get(path, query={"variant": "katruji", "material": "2P"})
        assert error(answer) == (422, "bad-value")


def test_a_bearer_token_goes_before_the_cookie(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    api.http.set_cookie(COOKIE, ada.token.secret)
    shown = api.get("/me", brahim).json
    assert shown is not None
    assert shown["name"] == "Brahim"


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT"])
def test_no_method_that_changes_something_goes_by_cookie_alone(
    api: Api, ada: NewPlayer, method: str
) -> None:
    api.http.set_cookie(COOKIE, ada.token.secret)
    for shown in ({}, {"X-CSRF-Token": ""}):
        answer = api.send(
            method, f"/players/{ada.id}", None, b"{}", "application/json", headers=shown
        )
        assert error(answer) == (403, "bad-csrf-token")


def test_the_last_event_is_named_in_digits_of_ascii(api: Api, game: str) -> None:
    answer = api.get(f"{game}/stream", Last_Event_ID="\N{SUPERSCRIPT TWO}")
    assert error(answer) == (400, "malformed-header")
