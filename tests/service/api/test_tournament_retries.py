"""A request to a tournament that is sent again has the answer of the first, whatever came since."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.test_idempotency import KEY, assert_same
from tests.service.api.tournaments import Desk


@pytest.fixture
def desk(api: Api, arbiter: NewPlayer) -> Desk:
    return Desk(api, arbiter, players=2, kind="free", rounds=None)


@pytest.fixture
def games(desk: Desk) -> list[str]:
    """The ids of two finished games of the entrants."""
    paths = [desk.api.running(*desk.players) for _ in range(2)]
    for path in paths:
        desk.api.play(path, desk.players[0], "Pd1")
        desk.api.command(path, desk.players[1], "resign")
    return [path.rpartition("/")[2] for path in paths]


def send(desk: Desk, by: NewPlayer, type: str, **members: Any) -> TestResponse:
    return desk.api.post(f"{desk.path}/commands", {"type": type, **members}, by, KEY)


def finish(desk: Desk) -> None:
    assert desk.do("finish")["status"] == "finished"


def test_joining_a_game(desk: Desk, games: list[str]) -> None:
    wish = {"game": games[0], "round": 1}
    first = send(desk, desk.arbiter, "join", **wish)
    assert_same(first, send(desk, desk.arbiter, "join", **wish))
    other = send(desk, desk.arbiter, "join", **{**wish, "game": games[1]})
    assert error(other) == (422, "idempotency-key-reused")
    finish(desk)
    assert_same(first, send(desk, desk.arbiter, "join", **wish))


def test_joining_a_game_at_an_expected_version(desk: Desk, games: list[str]) -> None:
    wish = {"game": games[0], "round": 1}
    stale = desk.order(desk.arbiter, "join", **wish, expected_version=1)
    assert error(stale) == (409, "wrong-version")
    version = desk.get()["version"]
    assert desk.do("join", **wish, expected_version=version)["version"] > version


def test_entering_a_tournament_that_is_over_since(desk: Desk) -> None:
    first = send(desk, desk.arbiter, "enter", name="Zoë")
    finish(desk)
    assert_same(first, send(desk, desk.arbiter, "enter", name="Zoë"))


def test_an_arbiter_who_was_dismissed_since(desk: Desk, api: Api) -> None:
    other = api.player("Other", "play", "arbiter")
    desk.do("appoint-arbiter", player=other.id)
    first = send(desk, other, "dismiss-arbiter", player=other.id)
    assert_same(first, send(desk, other, "dismiss-arbiter", player=other.id))
    assert error(desk.order(other, "finish")) == (403, "not-the-arbiter")


def test_the_same_report_as_another_kind_of_tournament(api: Api, arbiter: NewPlayer) -> None:
    def post(kind: str) -> TestResponse:
        query = {"variant": "katruji", "kind": kind}
        return api.send(
            "POST", "/tournaments/trf", arbiter, b"012 Open\n", "text/plain", query=query, key=KEY
        )

    first = post("swiss")
    assert_same(first, post("swiss"))
    assert error(post("round-robin")) == (422, "idempotency-key-reused")
