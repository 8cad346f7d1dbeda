"""What a game's watchers are sent at each change, without replaying the whole game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engine.position import Position
from engine.registry import VARIANTS
from service.api.position_views import Replay, render_position
from service.api.shared_boards import SharedBoard
from service.api.subscriptions import News
from service.boards.gains import Gain, play_counted
from service.game.redaction import viewer
from service.game.repository import stream_of
from service.log.values import Pointer
from service.player.actor import Actor
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.test_watched_boards import id_of
from tests.service.secrets.kerd import choose, chosen, kerd


class Watched:
    """A game with watchers, whose boards are compared with a replay of the whole game."""

    def __init__(self, api: Api, path: str, *players: NewPlayer) -> None:
        self.games = api.service.games
        self.id = id_of(path)
        self.board = SharedBoard(self.games, self.id)
        self.board.load()
        self.actors: Sequence[Actor | None] = (None, *(Actor(player.id) for player in players))

    def compare(self) -> None:
        """Fail unless every watcher is sent the current position."""
        self.board.load()
        state = self.games.load(self.id)
        for actor in self.actors:
            told: dict[str, Any] = json.loads(self.board.write_state(actor).data)
            whole = render_position(state, viewer(state, actor))
            assert told["position"] == json.loads(json.dumps(whole))


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_tells_what_the_whole_game_comes_to(api: Api, ada: NewPlayer, variant: str) -> None:
    wish = {"infiltrators": "none"} if variant == "kerd" else {}
    path = api.scribed(ada, variant=variant, **wish)
    watched = Watched(api, path, ada)
    random = Random(4)
    for ply in range(1, 60):
        answer = api.get(f"{path}/legal", ada).json
        assert answer is not None
        actions = [one["action"] for one in answer["actions"]]
        if not actions:
            break
        api.play(path, ada, random.choice(actions))
        if ply % 7 == 0:
            # Retract the action, which watchers have seen only at odd plies.
            if ply % 2:
                watched.compare()
            assert api.command(path, ada, "retract", plies=1).status_code == 200
        if ply % 3:
            watched.compare()
    watched.compare()


def test_clocks_that_an_arbiter_sets_are_told(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer
) -> None:
    path = api.running(ada, brahim, time_control="180+2")
    watched = Watched(api, path)
    for by, first in ((ada, 90), (brahim, 80), (ada, 70)):
        actions = api.get(f"{path}/legal", by).json["actions"]  # type: ignore[index]
        api.play(path, by, actions[0]["action"])
        watched.compare()
        setting = {"first_ms": first * 1000, "second_ms": 60_000, "reason": "a fault"}
        assert api.command(path, arbiter, "set-clocks", **setting).status_code == 200
        watched.compare()


def test_a_choice_that_becomes_known_is_told_to_those_who_may_know_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    watched = Watched(api, path, ada, brahim)
    for player, square in ((ada, "f11"), (brahim, "d1")):
        assert choose(api, path, player, square).status_code == 200
        watched.compare()
    api.play(path, ada, "e2e4")
    watched.compare()
    board = json.loads(watched.board.write_state(None).data)
    assert board["position"]["marked"] == []
    assert api.command(path, brahim, "resign").status_code == 200
    watched.compare()
    assert json.loads(watched.board.write_state(None).data)["position"]["marked"] != []


def test_the_same_news_are_told_to_each_as_they_may_know_them(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    watched = Watched(api, path, ada, brahim)
    board, before = watched.board, watched.games.load(watched.id).version
    api.play(path, ada, "e2e4")
    stream = stream_of(watched.id)
    recorded = watched.games.log.read(stream, before)
    pointer = Pointer("1-0", stream, before + 1, recorded[-1].version, ())
    news = News(pointer, recorded)
    marked, words = [], []
    for actor in (*watched.actors, *reversed(watched.actors)):
        for language in ("en", "de", "en"):
            change = board.write_news(language, actor, before, news)
            assert change is not None
            told = json.loads(change.data)
            marked.append(tuple(told["position"]["marked"]))
            words.append(told["position"]["said"])
    own = [(), ("f11",), ("d1",)]
    assert marked == [each for each in own + own[::-1] for _ in range(3)]
    assert words == [words[0], words[1], words[0]] * 6
    assert words[0] != words[1]
    # A watcher who has this change is sent nothing; one who missed another is sent both.
    assert board.write_news("en", None, before + 1, news) is None
    late = board.write_news("en", None, before - 1, news)
    assert late is not None
    assert len(json.loads(late.data)["news"]) == 2


def test_only_what_is_new_is_replayed(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = api.scribed(ada)
    for _ in range(10):
        actions = api.get(f"{path}/legal", ada).json["actions"]  # type: ignore[index]
        api.play(path, ada, actions[0]["action"])
    watched = Watched(api, path)
    watched.board.write_state(None)
    counted: list[object] = []

    def count(position: Position, action: Any) -> list[Gain]:
        counted.append(action)
        return play_counted(position, action)

    monkeypatch.setattr("service.api.position_views.play_counted", count)
    for _ in range(2):
        actions = api.get(f"{path}/legal", ada).json["actions"]  # type: ignore[index]
        api.play(path, ada, actions[0]["action"])
        watched.board.load()
        watched.board.write_state(None)
    assert len(counted) == 2
    state = api.service.games.load(watched.id)
    assert state.version == api.service.log.version(stream_of(watched.id))
    assert Replay(state).leads_to(state)
