"""Nobody can find out the computer's choice by watching it, timing it or searching again."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from random import Random

import pytest

from engine.side import Side
from notation.registry import find_dialect
from service.composition.service import Service, compose
from service.computer.levels import LEVELS
from service.computer.seeds import draw_choice
from service.game.commands import AcceptChallenge, Choose, CreateGame, PlayAction
from service.game.redaction import STRANGER, seen_actions
from service.game.state import GameState
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.settings import read_settings
from tests.service.redis_server import RedisServer
from workers.computer.playing import ComputerGames
from workers.computer.thinking import think
from workers.computer.turns import (
    choose_immediate_command,
    find_turn,
    make_actor,
    make_question,
)

COMPUTER = LEVELS[0].player
ANN = Actor("ann", frozenset({PLAY}))
PLIES = 24


@pytest.fixture
def both(redis_server: RedisServer, tmp_path: Path) -> tuple[Service, Service]:
    """Two services with the same keys, each with a store of its own."""
    made = []
    for number in (1, 2):
        url = f"{redis_server.url}?db={number}"
        own = {"MOVELOG_REDIS_URL": url, "MOVELOG_DATA_DIR": str(tmp_path)}
        made.append(compose(read_settings(own)))
        made[-1].store.flushdb()
    return made[0], made[1]


def begin(service: Service, variant: str, square: str) -> GameState:
    """A game in which the computer has chosen this square; Ann's choice never varies."""
    command = CreateGame(
        variant=variant, mode="challenge", first=ANN.player, second=COMPUTER, time_control="300+3"
    )
    service.games.create("g1", command, ANN)
    service.games.execute("g1", AcceptChallenge(), make_actor(COMPUTER))
    own = Choose(side=Side.SECOND, choice=square, nonce="cd" * 16)
    service.games.execute("g1", own, make_actor(COMPUTER))
    hers = Choose(side=Side.FIRST, choice="e11", nonce="ab" * 16)
    return service.games.execute("g1", hers, ANN).state


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["kerd", "kerd-draft"])
@pytest.mark.parametrize("squares", [("e2", "b2"), ("c2", "k2")])
def test_games_that_differ_in_its_choice_go_the_same_way(
    both: tuple[Service, Service], variant: str, squares: tuple[str, str]
) -> None:
    random = Random(f"{variant} {squares}")
    states = [
        begin(service, variant, square) for service, square in zip(both, squares, strict=True)
    ]
    compared = 0
    while len(states[0].played) < PLIES and all(state.ending is None for state in states):
        if states[0].to_act is Side.SECOND:
            answers, times = [], []
            for state in states:
                turn = find_turn(state, 0)
                assert turn is not None
                times.append(turn.answer_at - turn.key[1])
                answers.append(think(make_question(state, turn, b"secret", 60.0)))
            # When it answers depends on the clocks, which differ by the time that this test takes.
            assert abs(times[0] - times[1]) <= 100
            tokens = [str(answer.action) for answer in answers]
            if any(token.startswith("R:") for token in tokens):
                break
            assert answers[0] == answers[1]
            compared += 1
            actor = make_actor(COMPUTER)
        else:
            legal = seen_actions(states[0], STRANGER)
            tokens = [find_dialect(variant).coordinate(random.choice(legal))] * 2
            actor = ANN
        states = [
            service.games.execute("g1", PlayAction(token=token), actor).state
            for service, token in zip(both, tokens, strict=True)
        ]
    assert compared >= 3


def test_what_is_asked_of_the_public_search_does_not_tell_the_choice(
    both: tuple[Service, Service],
) -> None:
    questions = []
    for service, square in zip(both, ("e2", "b2"), strict=True):
        begin(service, "kerd", square)
        token = find_dialect("kerd").coordinate(seen_actions(service.games.load("g1"), STRANGER)[0])
        state = service.games.execute("g1", PlayAction(token=token), ANN).state
        turn = find_turn(state, 0)
        assert turn is not None
        questions.append(make_question(state, turn, b"secret", 1.0))
    one, other = questions
    assert one.own != other.own
    assert (one.public, one.earlier, one.seed) == (other.public, other.earlier, other.seed)
    # Ann's own choice is not part of the question.
    assert "e11" not in one.own + one.public


def test_its_choice_is_drawn_from_the_service_s_secret(both: tuple[Service, Service]) -> None:
    service, _ = both
    command = CreateGame(variant="kerd", mode="challenge", first=ANN.player, second=COMPUTER)
    service.games.create("g1", command, ANN)
    state = service.games.execute("g1", AcceptChallenge(), make_actor(COMPUTER)).state
    found = choose_immediate_command(state, service.secret)
    assert found is not None
    choose, actor = found
    assert isinstance(choose, Choose)
    assert actor.player == COMPUTER
    assert found == choose_immediate_command(state, service.secret)
    sealing = find_dialect("kerd").sealing
    assert sealing is not None
    squares = sealing.choices(state.position.copy(), Side.SECOND)
    assert choose.choice == draw_choice(service.secret, "g1", Side.SECOND, squares)
    drawn = {draw_choice(b"%d" % number, "g1", Side.SECOND, squares) for number in range(200)}
    assert drawn == set(squares)
    other = choose_immediate_command(state, b"another")
    assert other is not None
    assert isinstance(other[0], Choose)
    assert other[0].nonce != choose.nonce


def test_what_goes_wrong_is_logged_without_the_position(
    both: tuple[Service, Service],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    service, _ = both
    begin(service, "kerd", "e2")
    token = find_dialect("kerd").coordinate(seen_actions(service.games.load("g1"), STRANGER)[0])
    service.games.execute("g1", PlayAction(token=token), ANN)

    def fail(*given: object) -> None:
        raise ValueError(f"e2 is told: {given}")

    monkeypatch.setattr("workers.computer.playing.make_question", fail)
    games = ComputerGames(service, 1)
    try:
        with caplog.at_level(logging.DEBUG):
            for _ in range(2):
                games.step()
    finally:
        games.close()
    assert "game g1 cannot be played on: ValueError" in caplog.text
    assert "is told" not in caplog.text
    assert not re.search(r"\be2\b", caplog.text)
