"""A tournament and its games change at the same moment: what was decided on is checked again."""

from __future__ import annotations

from typing import Any

import pytest

from service.composition.service import Service, compose
from service.game.commands import CorrectResult, ImportRecord, PlayAction, ReopenGame
from service.game.repository import CALLED_OFF, Games
from service.game.state import GameState
from service.game.values import GameStatus
from service.log.values import Append
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.tournament.commands import ConfirmRound, UnpairRound
from tests.service.api.client import Api
from tests.service.api.test_tournaments import settled
from tests.service.api.tournaments import Desk
from tests.service.held_up import hold_up
from workers.round_job import create_game

RECORD = "r" * 16
TEXT = '[Variant "katruji"]\n[Termination "resignation"]\n\n1. Sd1 {so} Sa8 0-1\n'
BACK = UnpairRound(round=1, reason="nobody came")


@pytest.fixture
def slow(api: Api) -> Service:
    """A second process of the service."""
    return compose(api.service.settings)


@pytest.fixture
def desk(api: Api, arbiter: NewPlayer) -> Desk:
    return Desk(api, arbiter, players=2, rounds=1)


def chief(desk: Desk) -> Actor:
    return Actor(desk.arbiter.id, frozenset({"arbiter", "play"}))


def summary(games: Games, id: str) -> tuple[GameStatus, str | None]:
    state = games.load(id)
    return state.status, None if state.ending is None else state.ending.result


def test_a_game_begun_as_its_round_is_taken_back_is_closed(
    desk: Desk, api: Api, slow: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pairing,) = desk.pair()["pairings"]
    game, player = pairing["game"], Actor(pairing["first"]["id"], frozenset({"play"}))

    def play(request: Append) -> None:
        assert request.events[0].stored_name == "round-unpaired/1"
        api.service.games.execute(game, PlayAction(token="Sd1"), player)

    hold_up(slow.log, "tournament", play, monkeypatch)
    slow.tournaments.execute(desk.made["id"], BACK, chief(desk))
    assert summary(slow.games, game) == (GameStatus.RUNNING, None)
    desk.work()
    assert summary(slow.games, game) == (GameStatus.FINISHED, "*")
    assert desk.get()["rounds_ready"] == 0


def prepared(desk: Desk, api: Api) -> str:
    """The game of a ready round that no worker has begun."""
    desk.do("pair")
    state = settled(api, desk.made["id"])
    pairing = state.rounds[0].pairings[0]
    assert create_game(api.service.games, state, pairing)
    confirmed = ConfirmRound(asked=state.rounds[0].version)
    api.service.tournaments.execute(state.id, confirmed, Actor("movelog:pairer"))
    return str(pairing.game)


def stored_names(service: Service, game: str) -> list[str]:
    return [e.event.stored_name for e in service.log.read(service.games.stream(game))]


def test_a_game_of_a_round_taken_back_is_not_begun_by_who_was_slow(
    desk: Desk, api: Api, slow: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = prepared(desk, api)

    def take_back(request: Append) -> None:
        api.service.tournaments.execute(desk.made["id"], BACK, chief(desk))
        desk.work()

    hold_up(slow.log, "game", take_back, monkeypatch)
    assert slow.games.begin(game).status is GameStatus.PREPARED
    assert stored_names(slow, game) == ["game-created/1"]
    desk.work()
    assert stored_names(slow, game) == ["game-created/1"]


def test_a_game_that_is_begun_as_it_is_called_off_is_closed(
    desk: Desk, api: Api, slow: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = prepared(desk, api)
    begin, append = slow.log.append, api.service.log.append

    def begin_late(request: Append) -> int:
        """Begin it just after the worker has found that it has not begun."""
        begun: list[int] = []

        def call_off(calling: Append) -> int:
            if CALLED_OFF in calling.attributes and not begun:
                begun.append(begin(request))
            return append(calling)

        api.service.tournaments.execute(desk.made["id"], BACK, chief(desk))
        with monkeypatch.context() as patch:
            patch.setattr(api.service.log, "append", call_off)
            desk.work()
        return begun[0]

    monkeypatch.setattr(slow.log, "append", begin_late)
    slow.games.begin(game)
    assert stored_names(slow, game)[:2] == ["game-created/1", "game-begun/1"]
    assert summary(api.service.games, game) == (GameStatus.FINISHED, "*")


def take_in(desk: Desk, **given: Any) -> GameState:
    """Import a record of a game between the two entrants that names no tournament."""
    first, second = (player.id for player in desk.players)
    record = {
        "variant": "katruji",
        "first": first,
        "second": second,
        "tags": {"Variant": "katruji", "Termination": "resignation"},
        "text": TEXT,
        "actions": "c1d1 b8a8",
        "result": "0-1",
    }
    return desk.api.service.games.create(RECORD, ImportRecord(**record | given), chief(desk)).state


def test_a_game_reopened_as_another_takes_its_board_is_closed(
    desk: Desk, api: Api, slow: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pairing,) = desk.pair()["pairings"]
    game = pairing["game"]
    desk.json(api.command(f"/games/{game}", desk.arbiter, "close"))
    desk.work()
    seats = {side: pairing[side]["id"] for side in ("first", "second")}
    other = take_in(desk, **seats)

    def join(request: Append) -> None:
        assert request.events[0].stored_name == "game-reopened/1"
        api.service.tournaments.join(desk.made["id"], other, 1, chief(desk))
        desk.work()

    hold_up(slow.log, "game", join, monkeypatch)
    slow.games.execute(game, ReopenGame(reason="they would play on"), chief(desk))
    assert summary(slow.games, game) == (GameStatus.RUNNING, None)
    desk.work()
    assert summary(slow.games, game) == (GameStatus.FINISHED, "*")
    (shown,) = desk.get("/rounds/1")["pairings"]
    assert (shown["game"], shown["result"]) == (RECORD, "0-1")


def test_a_game_corrected_as_it_joins_counts_as_corrected(
    api: Api, arbiter: NewPlayer, slow: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(api, arbiter, players=2, kind="free", rounds=None)
    game = take_in(desk)

    def correct(request: Append) -> None:
        assert request.events[0].stored_name == "game-joined/1"
        command = CorrectResult(result="1-0", termination="resignation", reason="a slip")
        api.service.games.execute(RECORD, command, chief(desk))
        desk.work()

    hold_up(slow.log, "tournament", correct, monkeypatch)
    slow.tournaments.join(desk.made["id"], game, 1, chief(desk))
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "0-1"
    desk.work()
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "1-0"
