"""Reads with `If-Match`: answered if the ETag is named, otherwise refused with a reason."""

from __future__ import annotations

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error

READS = ("/variants/kerd/board", "//board.css", "/explorer?variant=kerd", "/games")
"""Some paths whose answers have ETags."""


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


@pytest.mark.parametrize("path", ["", "/legal", "/board.svg", "/positions"])
def test_a_read_is_answered_if_it_names_the_etag(api: Api, game: str, path: str) -> None:
    whole = api.get(f"{game}{path}")
    tag = whole.headers["ETag"]
    for named in (tag, f"W/{tag}", f'"x", ,{tag} ,', f' {tag},"a,b"', "*", " * "):
        answer = api.get(f"{game}{path}", If_Match=named)
        assert (answer.status_code, answer.data) == (200, whole.data)
        assert answer.headers["ETag"] == tag
    unchanged = api.get(f"{game}{path}", If_Match=tag, If_None_Match=tag)
    assert (unchanged.status_code, unchanged.data) == (304, b"")


def test_an_etag_of_a_compressed_answer_can_be_sent_back(api: Api, game: str) -> None:
    packed = api.get(f"{game}/legal", Accept_Encoding="gzip")
    tag = packed.headers["ETag"]
    assert tag.startswith("W/")
    assert api.get(f"{game}/legal", Accept_Encoding="gzip", If_Match=tag).data == packed.data


@pytest.mark.parametrize("named", ['"0"', 'W/"0"', '"a", "b"', '""'])
def test_a_read_that_names_another_etag_is_refused(api: Api, game: str, named: str) -> None:
    tag = api.get(game).headers["ETag"]
    answer = api.get(game, If_Match=named)
    assert error(answer) == (412, "other-etag")
    assert answer.json is not None
    assert tag in answer.json["detail"]
    # Also if the client has the answer, which is then not even made.
    assert error(api.get(game, If_Match=named, If_None_Match=tag)) == (412, "other-etag")
    assert api.send("HEAD", game, headers={"If-Match": named}).status_code == 412


@pytest.mark.parametrize("named", ["nonsense", '"', "1", '"a" "b"', '*, "a"', 'w/"a"', "", ","])
def test_a_malformed_if_match_is_named(api: Api, game: str, named: str) -> None:
    answer = api.get(game, If_Match=named)
    assert error(answer) == (400, "malformed-header")
    assert answer.json is not None
    assert answer.json["name"] == "If-Match"
    assert "double quotes" in answer.json["detail"]


def test_every_answer_with_an_etag_says_why_it_is_refused(api: Api) -> None:
    for path in READS:
        assert "ETag" in api.get(path).headers
        assert error(api.get(path, If_Match='"0"')) == (412, "other-etag")
        assert error(api.get(path, If_Match="nonsense")) == (400, "malformed-header")


def test_a_read_without_an_etag_ignores_if_match(api: Api) -> None:
    assert api.get("//healthz", If_Match="nonsense").status_code == 200
