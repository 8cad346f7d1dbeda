"""Games of Kerd over HTTP, for tests of their secrets."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api

NONCE = "5a386a92a1721938e15109a12b383b40"
OTHER = "1b80de20adc232cd76ecf0d9fc8b7de7"
SECRET_TAGS = ("Infiltrator", "Commitment", "Nonce")


def kerd(api: Api, first: NewPlayer, second: NewPlayer, **wish: Any) -> str:
    """The path of a game of Kerd that waits for its choices."""
    asked = {"variant": "kerd", "side": "first", "opponent": second.id, **wish}
    path = api.created(asked, first)
    assert api.command(path, second, "accept").status_code == 200
    return path


def choose(api: Api, path: str, by: NewPlayer, square: str, **members: Any) -> TestResponse:
    """Send a choice."""
    return api.command(path, by, "choose", square=square, **members)


def chosen(api: Api, first: NewPlayer, second: NewPlayer, **wish: Any) -> str:
    """The path of a running game: White has chosen f11, Black d1, with nonces of their own."""
    path = kerd(api, first, second, **wish)
    for player, square, nonce in ((first, "f11", NONCE), (second, "d1", OTHER)):
        answer = choose(api, path, player, square, nonce=nonce)
        assert answer.status_code == 200, answer.text
    return path


def tags(api: Api, path: str, by: NewPlayer | None = None, **query: int) -> dict[str, str]:
    """The tags of a game's record that are about its choices."""
    head = api.get(path, by, PGN, query=query).text.split("\n\n")[0]
    found = dict(line[1:-2].split(' "', 1) for line in head.splitlines())
    return {name: value for name, value in found.items() if name.endswith(SECRET_TAGS)}


def shown(api: Api, path: str, by: NewPlayer | None = None, **query: int) -> dict[str, Any]:
    """A game as JSON."""
    found: dict[str, Any] | None = api.get(path, by, query=query).json
    assert found
    return found


def infiltrators(api: Api, path: str, by: NewPlayer | None = None, **query: int) -> str:
    """The field of the game's position that shows what is known of the choices."""
    return str(shown(api, path, by, **query)["fen"]).split(" ")[5]
