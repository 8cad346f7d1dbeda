"""A game of a tournament: only the process that makes rounds prepares it and begins it."""

from __future__ import annotations

import pytest

from notation.reader import read_game
from service.errors import MissingScope
from service.game.commands import (
    Adjudicate,
    BeginGame,
    Choose,
    CloseGame,
    Command,
    CreateGame,
    PlayAction,
    ReopenGame,
    Resign,
)
from service.game.decide import create
from service.game.errors import NotRunning, StillDecided
from service.game.permissions import PAIRER
from service.game.record import write_record
from service.game.repository import audience
from service.game.values import Ending, GameStatus, Mode
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.projection.games.rows import is_listed
from tests.service.game.support import NORTH, REFEREE, SCRIBE, SOUTH, STRANGER, Play

PAIRED = Actor(PAIRER)


def paired(variant: str = "katruji") -> Play:
    wish = CreateGame(variant=variant, mode=Mode.TOURNAMENT, first="south", second="north")
    return Play(wish, PAIRED)


@pytest.mark.parametrize("actor", [SOUTH, SCRIBE, REFEREE, STRANGER])
def test_only_the_pairer_makes_and_begins_games_of_rounds(actor: Actor) -> None:
    wish = CreateGame(variant="katruji", mode=Mode.TOURNAMENT, first="south", second="north")
    with pytest.raises(MissingScope):
        create(wish, actor)
    with pytest.raises(MissingScope):
        paired().do(BeginGame(), actor)


@pytest.mark.parametrize("command", [PlayAction(token="Sd1"), Resign(), CloseGame()])
def test_a_prepared_game_is_nobodys_business_yet(command: Command) -> None:
    game = paired()
    assert game.state.status is GameStatus.PREPARED
    assert not is_listed(game.state)
    assert audience(game.state) == ()
    with pytest.raises(NotRunning, match="prepared"):
        game.do(command, REFEREE if isinstance(command, CloseGame) else SOUTH)


def test_it_begins_once_and_is_played_by_its_seats() -> None:
    game = paired()
    assert len(game.do(BeginGame(), PAIRED)) == 1
    assert game.do(BeginGame(), PAIRED) == ()
    game.do(PlayAction(token="Sd1"), SOUTH)
    game.do(PlayAction(token="Sa8"), NORTH)
    game.do(Adjudicate(result="1-0", termination="forfeit"), REFEREE)
    assert game.do(BeginGame(), PAIRED) == ()
    assert game.state.status is GameStatus.FINISHED


@pytest.mark.parametrize(
    "command", [Adjudicate(result="1-0", termination="adjudication"), CloseGame()]
)
def test_r35_the_pairer_ends_a_reopened_game_as_the_rules_ended_it(command: Command) -> None:
    wish = CreateGame(
        variant="katruji",
        mode=Mode.TOURNAMENT,
        first="south",
        second="north",
        tags={"PlyLimit": "2"},
    )
    game = Play(wish, PAIRED)
    game.do(BeginGame(), PAIRED)
    game.play("Sd1", "Sa8")
    game.do(ReopenGame(reason="the wrong game"), REFEREE)
    with pytest.raises(StillDecided):
        game.do(command, REFEREE)
    game.do(command, Actor(PAIRER, frozenset({ARBITER})))
    assert game.state.ending == Ending("1/2-1/2", "adjudication")
    assert read_game(write_record(game.state, {})).result == "1/2-1/2"


def test_where_there_are_secrets_the_players_choose_first() -> None:
    game = paired("kerd")
    statuses = []
    for command, actor in (
        (BeginGame(), PAIRED),
        (Choose(choice="e11", nonce="0" * 31 + "1"), SOUTH),
        (Choose(choice="e2", nonce="0" * 31 + "2"), NORTH),
    ):
        game.do(command, actor)
        statuses.append(game.state.status)
    assert statuses == [GameStatus.CHOOSING, GameStatus.CHOOSING, GameStatus.RUNNING]
