"""A player's stream ends with the session or the token that requested it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.api import analysis_stream, board_messages, player_stream
from service.api.board_messages import ALIVE, BoardMessages
from service.api.lasting_rights import everlasting
from service.api.subscriptions import Subscription
from service.player.actor import Actor
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.test_analyses import asked
from tests.service.pages.test_session import csrf, sign_in
from tests.service.secrets.kerd import chosen, shown


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


@pytest.mark.parametrize("path", ["{game}/stream?view=board", "/me/stream"])
def test_a_silent_stream_ends_with_its_session_too(
    api: Api, ada: NewPlayer, brahim: NewPlayer, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (board_messages, player_stream):
        monkeypatch.setattr(module, "KEEP_ALIVE", 0.01)
    game = chosen(api, ada, brahim)
    api.project()
    sign_in(api, ada)
    answer = api.http.get(f"/api/v1{path.format(game=game)}")
    messages = answer.iter_encoded()
    while not next(messages).startswith((b":", b"event: alive")):
        pass
    sign_out(api, ada)
    assert next(messages, None) is None
    answer.close()


def test_a_players_silent_board_is_kept_alive_where_rights_are_checked(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    game = chosen(api, ada, brahim)
    board = api.app.extensions["movelog"].boards.share(game.removeprefix("/games/"))
    for by, alive in ((ada, None), (api.player("Carla"), ALIVE.encode())):
        messages = BoardMessages(board, Actor(by.id), everlasting, Subscription([], ""))
        next(messages.stream_messages(ends=False))
        assert messages._write_shared(None) == alive


@pytest.mark.parametrize("secret", [True, False])
def test_the_stream_of_an_analysis_with_a_secret_ends_with_its_token(
    api: Api, ada: NewPlayer, brahim: NewPlayer, secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_stream, "POLL", 0.01)
    monkeypatch.setattr(analysis_stream, "MISSES", 2)
    game = chosen(api, ada, brahim)
    fen = str(shown(api, game, ada if secret else None)["fen"])
    id = asked(api, ada, variant="kerd", fen=fen)["id"]
    answer = api.get(f"/analyses/{id}/stream", ada)
    messages = answer.iter_encoded()
    assert b"caught_up" in next(messages)
    revoke(api, ada)
    told = next(messages, None)
    assert told is None if secret else told is not None
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
