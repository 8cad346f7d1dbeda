"""Challenges: offered, accepted, declined, withdrawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from service.game.commands import AcceptChallenge, DeclineChallenge, WithdrawChallenge
from service.game.errors import NotASeat, NotOffered, NotTheOpponent
from service.game.events import ChallengeAccepted, ChallengeDeclined, ChallengeWithdrawn
from service.game.values import GameStatus, Mode
from tests.service.game.support import NORTH, SOUTH, STRANGER, Play, new_game, offered


def open_challenge(side: Side) -> Play:
    seats = {side: "south"}
    command = replace(
        new_game(Mode.CHALLENGE), first=seats.get(Side.FIRST), second=seats.get(Side.SECOND)
    )
    return Play(command, SOUTH)


def test_an_accepted_challenge_is_played() -> None:
    game = offered()
    assert game.do(AcceptChallenge(), NORTH) == (ChallengeAccepted(player="north"),)
    assert game.state.status is GameStatus.RUNNING
    assert game.state.to_act is Side.FIRST
    assert game.state.seats == ("south", "north")


def test_a_declined_challenge_is_closed() -> None:
    game = offered()
    assert game.do(DeclineChallenge(), NORTH) == (ChallengeDeclined(),)
    assert (game.state.status, game.state.to_act) == (GameStatus.DECLINED, None)
    with pytest.raises(NotOffered):
        game.do(AcceptChallenge(), NORTH)


def test_a_withdrawn_challenge_is_closed() -> None:
    game = offered()
    assert game.do(WithdrawChallenge(), SOUTH) == (ChallengeWithdrawn(),)
    assert game.state.status is GameStatus.WITHDRAWN
    for answer in (AcceptChallenge(), DeclineChallenge()):
        with pytest.raises(NotOffered, match="the game is withdrawn"):
            game.do(answer, NORTH)
    with pytest.raises(NotOffered):
        game.do(WithdrawChallenge(), SOUTH)


@pytest.mark.parametrize("side", Side)
def test_an_open_challenge_is_for_the_first_who_comes(side: Side) -> None:
    game = open_challenge(side)
    with pytest.raises(NotTheOpponent):
        game.do(AcceptChallenge(), SOUTH)
    game.do(AcceptChallenge(), STRANGER)
    assert game.state.seats[side] == "south"
    assert game.state.seats[side.other] == "stranger"
    with pytest.raises(NotOffered):
        game.do(AcceptChallenge(), NORTH)


def test_nobody_can_decline_what_nobody_was_asked() -> None:
    with pytest.raises(NotASeat):
        open_challenge(Side.FIRST).do(DeclineChallenge(), STRANGER)
