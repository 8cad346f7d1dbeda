"""A player's stream ends with the session or the token that requested it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.test_session import csrf, sign_in
from tests.service.secrets.kerd import chosen


def sign_out(api: Api, ada: NewPlayer) -> None:
    api.http.post("/sign-out", data={"csrf": csrf(api)})


def revoke(api: Api, ada: NewPlayer) -> None:
    api.service.players.revoke(ada.id, ada.token.token.id, Principal(ada.id, None))


def erase(api: Api, ada: NewPlayer) -> None:
    api.send("DELETE", f"/players/{ada.id}", ada)


@pytest.mark.parametrize("end", [sign_out, revoke, erase])
@pytest.mark.parametrize("path", ["{game}/stream?view=board", "/me/stream"])
def test_nothing_more_is_told_once_a_session_has_ended(
    api: Api,
    ada: NewPlayer,
    brahim: NewPlayer,
    path: str,
    end: Callable[[Api, NewPlayer], None],
) -> None:
    game = chosen(api, ada, brahim)
    api.project()
    sign_in(api, ada)
    answer = api.http.get(f"/api/v1{path.format(game=game)}")
    messages = answer.iter_encoded()
    assert b"f11" in next(messages)
    if path == "/me/stream":
        assert b"caught_up" in next(messages)
    end(api, ada)
    api.command(game, brahim, "offer-draw")
    assert next(messages, None) is None
    answer.close()


def test_a_spectators_stream_goes_on(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    """What everybody may know is sent on, whoever requested the stream."""
    game = api.running(brahim, api.player("Carla"))
    sign_in(api, ada)
    answer = api.http.get(f"/api/v1{game}/stream?view=board")
    messages = answer.iter_encoded()
    next(messages)
    sign_out(api, ada)
    api.play(game, brahim, "Pd1")
    assert b"Pd1" in next(messages)
    answer.close()
