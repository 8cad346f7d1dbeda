"""A game's stream for boards: each ply is one complete message, as its viewer may see it."""

from __future__ import annotations

import gzip
import json
from random import Random

import pytest

from service.api import board_messages
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.live import Message, Stream, post, read_messages, running
from tests.service.api.test_game_boards import read
from tests.service.secrets.kerd import chosen
from tests.service.web_server import WebServer

LARGEST = 3 * 1024
"""The most bytes of a ply's message, compressed by itself."""


def first_message(api: Api, path: str, by: NewPlayer | None = None) -> Message:
    """The first message of a stream."""
    query = {"view": "board", "until": "caught_up"}
    told, caught_up = read_messages(api.get(f"{path}/stream", by, query=query))
    assert (told.event, caught_up.event) == ("board", "caught_up")
    assert told.id == caught_up.id == str(told.data["version"])
    return told


def test_the_first_message_is_the_game_as_it_stands(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1")
    told = first_message(api, path, ada).data
    overview = read(api, f"{path}/overview", ada)
    assert told["news"] == []
    assert told["position"] == overview["position"]
    assert told["legal"] == overview["legal"]
    for name in ("status", "ply", "fen", "to_act", "result", "draw_offer", "choices"):
        assert told[name] == overview["game"][name]


def test_legal_actions_are_for_the_one_to_act(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    told = {by: first_message(api, path, by).data["legal"] for by in (ada, brahim, eve, None)}
    assert [told[by] is None for by in (ada, brahim, eve, None)] == [False, True, True, True]
    assert told[ada] == read(api, f"{path}/legal", ada)


def test_a_stream_tells_no_choice(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = chosen(api, ada, brahim)
    marked = {
        by: first_message(api, path, by).data["position"]["marked"] for by in (ada, brahim, None)
    }
    assert marked == {ada: ["f11"], brahim: ["d1"], None: []}


@pytest.mark.parametrize("variant", ["kerd", "kerak"])
def test_a_message_of_the_largest_boards_is_small(api: Api, ada: NewPlayer, variant: str) -> None:
    """Random play leaves more pieces with more reach on the board than games do in their middle."""
    wish = {"infiltrators": "none"} if variant == "kerd" else {}
    path = api.scribed(ada, variant=variant, **wish)
    random = Random(3)
    sizes, most = [], 0
    for ply in range(70):
        legal = read(api, f"{path}/legal", ada)["actions"]
        if not legal:
            break
        api.play(path, ada, random.choice(legal)["action"])
        if ply % 5 == 0:
            told = first_message(api, path, ada)
            most = max(most, len(told.data["legal"]["actions"]))
            text = json.dumps(told.data, separators=(",", ":")).encode()
            sizes.append(len(gzip.compress(text, 6)))
    assert most > 60
    assert max(sizes) <= LARGEST


def test_silent_streams_of_boards_say_that_they_are_alive(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_messages, "KEEP_ALIVE", 0.01)
    game = api.scribed(ada)
    boards = {"games": game.removeprefix("/games/")}
    for path, query in ((f"{game}/stream", {"view": "board"}), ("/boards/stream", boards)):
        with api.get(path, query=query) as stream:
            parts = stream.iter_encoded()
            told = [next(parts).decode() for _ in range(4)]
        assert told[0].startswith("id: 1\nevent: board\n")
        assert told[2:] == ["event: alive\ndata: {}\n\n"] * 2


@pytest.mark.slow
def test_each_ply_is_one_message(server: WebServer) -> None:
    ada, brahim = (server.service.players.register(name, None) for name in ("Ada", "Brahim"))
    path = running(server, ada, brahim)
    with (
        Stream(server, f"{path}/stream?view=board", ada) as own,
        Stream(server, f"{path}/stream?view=board") as strangers,
    ):
        begun = [stream.take(1)[0] for stream in (own, strangers)]
        assert [message.data["ply"] for message in begun] == [0, 0]
        actions = (("Pd1", ada), ("Pa7", brahim), ("Pd2", ada))
        for ply, (action, by) in enumerate(actions, 1):
            post(server, f"{path}/actions", {"action": action}, by)
            for stream in (own, strangers):
                (told,) = stream.take(1)
                assert told.event == "board"
                assert told.data["news"] == ["action-played/1"]
                assert (told.data["ply"], told.data["position"]["san"]) == (ply, action)
                acts = stream is own and told.data["to_act"] == "first"
                assert (told.data["legal"] is not None) == acts
        post(server, f"{path}/commands", {"type": "resign"}, ada)
        (told,) = own.take(1)
        assert (told.data["status"], told.data["result"]) == ("finished", "0-1")
        assert told.data["news"] == ["game-ended/1"]


@pytest.mark.slow
def test_a_stream_that_begins_anew_misses_nothing(server: WebServer) -> None:
    ada, brahim = (server.service.players.register(name, None) for name in ("Ada", "Brahim"))
    path = running(server, ada, brahim)
    post(server, f"{path}/actions", {"action": "Pd1"}, ada)
    with Stream(server, f"{path}/stream?view=board", last="1") as stream:
        (told,) = stream.take(1)
        assert (told.data["ply"], told.data["position"]["san"]) == (1, "Pd1")
