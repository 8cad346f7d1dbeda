"""Deadlines: challenges expire, and players who do not come lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.side import Side
from service.errors import MissingScope
from service.game import commands, events
from service.game.commands import Command
from service.game.deadlines import choose_due_command, find_alarm
from service.game.decide import create, decide
from service.game.errors import CannotAbort, NotASeat, NotOffered, NotRunning
from service.game.evolve import fold
from service.game.permissions import PAIRER
from service.game.state import GameState
from service.game.terms import DAY, MINUTE
from service.game.timekeeping import TIMEKEEPER, Moment, Outage
from service.game.values import Ending, GameStatus, Mode
from service.log.values import Event, Recorded
from service.player.actor import Actor
from service.verification.replaying import replay
from tests.service.game.support import (
    ID,
    NORTH,
    SOUTH,
    STRANGER,
    Play,
    new_game,
    offered,
    running,
)

KEEPER = Actor(TIMEKEEPER)
PAIRING = Actor(PAIRER)
START = 1_700_000_000_000
NONCES = ("ab" * 16, "cd" * 16)


class Waiting:
    """A game, at a time that the test sets."""

    def __init__(self, mode: Mode, by: Actor, variant: str = "katruji", **terms: Any) -> None:
        self.now = START
        self.outages: list[Outage] = []
        self.log: list[Recorded] = []
        self._state: GameState | None = None
        self._append(create(replace(new_game(mode, variant=variant), **terms), by), by)

    @property
    def state(self) -> GameState:
        assert self._state is not None
        return self._state

    def _append(self, made: Sequence[Event], by: Actor) -> None:
        known = [
            Recorded(version, event, self.now, by.player)
            for version, event in enumerate(made, len(self.log) + 1)
        ]
        self.log += known
        self._state = fold(ID, known, self._state)

    def do(self, command: Command, by: Actor, after: int = 0) -> Sequence[Event]:
        self.now += after
        made = decide(command, self.state, by, Moment(self.now, self.outages, self.now))
        self._append(made, by)
        return made

    def play(self, by: Actor, token: str, after: int = 0) -> None:
        self.do(commands.PlayAction(token=token), by, after)

    def wait(self, milliseconds: int) -> Sequence[Event]:
        """What the service does this many milliseconds later."""
        return self.do(choose_due_command(self.state), KEEPER, milliseconds)


def challenge() -> Waiting:
    return Waiting(Mode.CHALLENGE, SOUTH, expires_after=DAY)


def board(**terms: Any) -> Waiting:
    """A tournament's game that has begun, with ten minutes for players to come."""
    game = Waiting(Mode.TOURNAMENT, PAIRING, no_show=10 * MINUTE, **terms)
    game.do(commands.BeginGame(), PAIRING, 5_000)
    return game


def test_a_challenge_expires_when_its_time_is_over() -> None:
    game = challenge()
    assert find_alarm(game.state) == START + DAY
    assert game.wait(DAY - 1) == ()
    assert game.wait(1) == (events.ChallengeExpired(),)
    assert game.state.status is GameStatus.EXPIRED
    assert (game.state.expires_at, find_alarm(game.state)) == (None, 0)
    assert game.wait(DAY) == ()
    assert replay(ID, game.log).status is GameStatus.EXPIRED


def test_nobody_accepts_a_challenge_whose_time_is_over() -> None:
    game = challenge()
    with pytest.raises(NotOffered) as refused:
        game.do(commands.AcceptChallenge(), NORTH, DAY)
    assert refused.value.status == "expired"
    game.wait(0)
    for answer in (commands.AcceptChallenge(), commands.DeclineChallenge()):
        with pytest.raises(NotOffered):
            game.do(answer, NORTH)


def test_a_challenge_that_was_accepted_does_not_expire() -> None:
    game = challenge()
    game.do(commands.AcceptChallenge(), NORTH, DAY - 1)
    assert find_alarm(game.state) == 0
    assert game.do(commands.ExpireChallenge(), KEEPER, DAY) == ()
    game.play(SOUTH, "Sd1")
    assert isinstance(game.log[-1].event, events.ActionPlayed)


def test_only_the_service_says_that_time_is_over() -> None:
    with pytest.raises(MissingScope):
        challenge().do(commands.ExpireChallenge(), SOUTH, DAY)
    with pytest.raises(MissingScope):
        board().do(commands.ForfeitNoShow(), SOUTH, DAY)


def test_the_first_side_loses_if_it_does_not_come() -> None:
    game = board()
    due = START + 5_000 + 10 * MINUTE
    assert find_alarm(game.state) == due
    assert game.wait(10 * MINUTE - 1) == ()
    assert game.wait(1)
    assert game.state.ending == Ending("0-1", "forfeit")
    assert find_alarm(game.state) == 0
    assert replay(ID, game.log).ending == Ending("0-1", "forfeit")


@pytest.mark.parametrize("control", [None, "180+2"])
def test_the_second_side_has_its_time_from_when_it_could_act(control: str | None) -> None:
    game = board(time_control=control)
    game.play(SOUTH, "Sd1", 9 * MINUTE)
    assert find_alarm(game.state) == game.now + 10 * MINUTE
    assert game.wait(10 * MINUTE - 1) == ()
    assert game.wait(1)
    assert game.state.ending == Ending("1-0", "forfeit")


def test_who_has_come_is_waited_for_no_more() -> None:
    game = board()
    game.play(SOUTH, "Sd1")
    game.play(NORTH, "Sa8")
    assert find_alarm(game.state) == 0
    assert game.do(commands.ForfeitNoShow(), KEEPER, DAY) == ()
    game.play(SOUTH, "Sc2")


def test_on_clocks_the_flag_falls_once_both_have_come() -> None:
    game = board(time_control="60")
    game.play(SOUTH, "Sd1")
    game.play(NORTH, "Sa8")
    assert isinstance(choose_due_command(game.state), commands.FlagFall)
    assert game.wait(2 * MINUTE)
    assert game.state.ending == Ending("0-1", "time forfeit")


def test_time_for_which_the_service_was_away_is_nobodys_absence() -> None:
    game = board()
    game.outages = [Outage(START + 6_000, START + 6_000 + 5 * MINUTE)]
    assert game.wait(15 * MINUTE - 1) == ()
    assert game.wait(1)
    assert game.state.ending == Ending("0-1", "forfeit")


def test_actions_that_were_taken_back_begin_the_wait_anew() -> None:
    game = board()
    game.play(SOUTH, "Sd1", 9 * MINUTE)
    game.do(commands.OfferRetraction(plies=1), SOUTH)
    game.do(commands.AcceptRetraction(), NORTH)
    assert find_alarm(game.state) == game.now + 10 * MINUTE


def choose(game: Waiting, side: Side) -> None:
    square, by = (("f11", SOUTH), ("d1", NORTH))[side]
    game.do(commands.Choose(choice=square, nonce=NONCES[side]), by)


def test_who_makes_no_secret_choice_has_not_come() -> None:
    game = board(variant="kerd")
    choose(game, Side.FIRST)
    assert game.wait(10 * MINUTE)
    assert game.state.ending == Ending("1-0", "forfeit")
    # This end, like any other, discloses what was chosen.
    assert game.state.disclosed == {Side.FIRST}


def test_a_game_that_nobody_came_to_has_no_result() -> None:
    game = board(variant="kerd")
    game.wait(10 * MINUTE)
    assert game.state.ending == Ending("*", "unterminated")


def test_play_gives_new_time_after_the_secret_choices() -> None:
    game = board(variant="kerd")
    choose(game, Side.FIRST)
    game.now += 9 * MINUTE
    choose(game, Side.SECOND)
    assert find_alarm(game.state) == game.now + 10 * MINUTE


def test_either_player_may_call_a_game_off_before_its_first_action() -> None:
    for by in (SOUTH, NORTH):
        game = running()
        assert game.do(commands.AbortGame(), by)
        assert game.state.ending == Ending("*", "unterminated")


def played() -> Play:
    return running().play("Sd1")


def test_a_game_that_has_begun_is_not_called_off() -> None:
    with pytest.raises(CannotAbort, match="an action was played"):
        played().do(commands.AbortGame(), SOUTH)
    with pytest.raises(CannotAbort, match="close it"):
        running(Mode.SCRIBE).do(commands.AbortGame(), Actor("scribe", frozenset({"play"})))
    with pytest.raises(CannotAbort, match="arbiter"):
        board().do(commands.AbortGame(), SOUTH)
    with pytest.raises(NotRunning):
        offered().do(commands.AbortGame(), SOUTH)


def test_only_players_call_a_game_off() -> None:
    with pytest.raises(NotASeat):
        running().do(commands.AbortGame(), STRANGER)
