"""Ruling R35: an ended game is reopened, and goes on with all that its end disclosed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from notation.errors import RecordError
from notation.kerd.fen import FIELDS
from notation.reader import read_game
from notation.registry import find_dialect
from service.errors import BadValue, MissingScope
from service.game import commands as c
from service.game import events
from service.game.commands import Command
from service.game.decide import create, decide
from service.game.errors import (
    CannotReopen,
    NotFinished,
    NothingToRetract,
    NotRunning,
    StillDecided,
)
from service.game.evolve import at_ply, fold
from service.game.permissions import SCORER
from service.game.record import write_record
from service.game.redaction import STRANGER, hidden, seen_position
from service.game.state import GameState
from service.game.values import Ending, GameStatus, Mode, Score
from service.log.values import Recorded
from service.player.actor import Actor
from tests.service.game import support
from tests.service.game.support import (
    ID,
    MODES,
    NORTH,
    REFEREE,
    SCRIBE,
    SOUTH,
    YARA,
    Play,
    running,
)

REOPEN = c.ReopenGame(reason="the score-keeper misheard")
OFFICIAL = {Mode.CHALLENGE: REFEREE, Mode.SCRIBE: SCRIBE, Mode.ARBITER: REFEREE}
NONCES = ("ab" * 16, "cd" * 16)


def score(game: Play) -> c.ScoreGame:
    """The command of a worker that has just read the game."""
    ending = game.state.ending
    assert ending is not None
    return c.ScoreGame(
        version=game.state.version,
        result=ending.result,
        termination=ending.termination,
        points=game.state.position.points(),
    )


def mover(game: Play) -> Side | None:
    """The side to act."""
    return game.state.to_act


def standing_score(game: Play) -> Score | None:
    """The score that counts."""
    return game.state.score


def by_yara(mode: Mode = Mode.ARBITER) -> Play:
    """A game that the rules have ended."""
    game = running(mode, fen=YARA).play("Oxa5")
    assert game.state.ending == Ending("1-0", "yara")
    return game


@pytest.mark.parametrize("mode", MODES)
def test_r35_the_end_is_withdrawn_and_the_game_goes_on(mode: Mode) -> None:
    game = running(mode).play("Sd1", "Sa8")
    game.do(c.CloseGame(), OFFICIAL[mode])
    before = list(game.log)
    made = game.do(REOPEN, OFFICIAL[mode])
    assert made == (events.GameReopened(reason="the score-keeper misheard"),)
    assert game.log[: len(before)] == before
    assert (game.state.status, game.state.ending, game.state.ended_at) == (
        GameStatus.RUNNING,
        None,
        None,
    )
    game.play("Sc2")
    assert len(game.state.played) == 3


def test_r35_a_wrong_last_action_that_ended_the_game_is_retracted() -> None:
    game = by_yara()
    game.do(REOPEN, REFEREE)
    assert mover(game) is None
    game.do(c.Retract(plies=1), REFEREE)
    assert mover(game) is Side.FIRST
    game.play("Oxa5")
    assert game.state.ending == Ending("1-0", "yara")
    assert [type(entry.event).__name__ for entry in game.log[-5:]] == [
        "GameEnded",
        "GameReopened",
        "ActionsRetracted",
        "ActionPlayed",
        "GameEnded",
    ]


def test_r35_players_may_agree_to_retract_what_ended_the_game() -> None:
    game = by_yara()
    game.do(REOPEN, REFEREE)
    game.do(c.OfferRetraction(plies=1), NORTH)
    game.do(c.AcceptRetraction(), SOUTH)
    assert mover(game) is Side.FIRST


@pytest.mark.parametrize(
    ("command", "by"),
    [
        (c.PlayAction(token="Pa5"), NORTH),
        (c.OfferDraw(), SOUTH),
        (c.Resign(), NORTH),
        (c.Adjudicate(result="0-1", termination="adjudication"), REFEREE),
        (c.LoseOnTime(side=Side.FIRST), REFEREE),
        (c.CloseGame(), REFEREE),
    ],
)
def test_r35_where_the_rules_have_ended_the_game_it_is_retracted_first(
    command: Command, by: Actor
) -> None:
    game = by_yara()
    game.do(REOPEN, REFEREE)
    with pytest.raises(StillDecided, match="retract the wrong action first"):
        game.do(command, by)


def test_r35_the_agreed_limit_ends_a_reopened_game_as_the_rules_do() -> None:
    game = running(Mode.ARBITER, tags={"PlyLimit": "2"}).play("Sd1", "Sa8")
    assert game.state.ending == Ending("1/2-1/2", "adjudication")
    game.do(REOPEN, REFEREE)
    with pytest.raises(StillDecided):
        game.do(c.PlayAction(token="Sc2"), SOUTH)
    game.do(c.Retract(plies=1), REFEREE)
    game.play("Pc5")
    assert game.state.ending == Ending("1/2-1/2", "adjudication")


def test_r35_a_game_that_is_over_as_it_stands_is_shown_as_one_that_was_reopened() -> None:
    game = by_yara()
    assert "SouthPoints" in write_record(game.state, {})
    game.do(REOPEN, REFEREE)
    text = write_record(game.state, {})
    assert '[Result "*"]' in text
    assert "Termination" not in text
    assert "SouthPoints" not in text
    assert read_game(text, reopened=True).result == "*"
    with pytest.raises(RecordError, match="the game ended 1-0 by yara"):
        read_game(text)
    named = text.replace('[Rules "1"]', '[Rules "1"]\n[Termination "unterminated"]')
    with pytest.raises(RecordError):
        read_game(named, reopened=True)


@pytest.mark.parametrize("status", ["offered", "running"])
def test_r35_a_game_that_has_not_ended_is_not_reopened(status: str) -> None:
    game = support.offered() if status == "offered" else running()
    with pytest.raises(NotFinished):
        game.do(REOPEN, REFEREE)


def test_r35_a_game_is_reopened_once_for_each_end() -> None:
    game = by_yara()
    game.do(REOPEN, REFEREE)
    with pytest.raises(NotFinished):
        game.do(REOPEN, REFEREE)


def test_r35_a_record_that_came_in_as_a_file_is_not_reopened() -> None:
    command = c.ImportRecord(
        variant="katruji",
        first="south",
        second="north",
        tags={},
        text='[Variant "katruji"]\n\n1. Sd1 1-0\n',
        actions="b3d1",
        result="1-0",
    )
    made = create(command, SCRIBE)
    state = fold(ID, [Recorded(1, made[0], 1, "scribe")])
    assert state is not None
    for by in (REFEREE, SCRIBE):
        with pytest.raises((CannotReopen, MissingScope)):
            decide(REOPEN, state, by)
    with pytest.raises(CannotReopen, match="import a corrected file instead") as error:
        decide(REOPEN, state, REFEREE)
    assert error.value.reason.startswith("it was imported from a file")


def test_r35_a_game_without_an_action_to_retract_stays_ended() -> None:
    game = by_yara()
    over = replace(game.state, played=(), plies=0)
    with pytest.raises(CannotReopen, match="before the first action"):
        decide(REOPEN, over, REFEREE)


@pytest.mark.parametrize("reason", ["", " ", "x" * 1001, "two\nlines"])
def test_r35_a_reopening_needs_a_reason(reason: str) -> None:
    with pytest.raises(BadValue) as error:
        by_yara().do(c.ReopenGame(reason=reason), REFEREE)
    assert error.value.field == "reason"


def test_r35_what_was_offered_before_the_end_is_off() -> None:
    game = running().play("Sd1", "Sa8")
    game.do(c.OfferDraw(), SOUTH)
    game.do(c.Resign(), NORTH)
    game.do(REOPEN, REFEREE)
    assert (game.state.draw_offer, game.state.retraction) == (None, None)


def test_r35_each_end_has_its_own_score() -> None:
    game = by_yara()
    late = score(game)
    game.do(late, Actor(SCORER))
    assert standing_score(game) == Score(Ending("1-0", "yara"), (18, 0))
    game.do(REOPEN, REFEREE)
    assert standing_score(game) is None
    assert game.do(late, Actor(SCORER)) == ()
    game.do(c.Retract(plies=1), REFEREE)
    game.play("Oxa5")
    # The game ends in the same way again; only a score of this end counts.
    assert game.do(late, Actor(SCORER)) == ()
    assert game.do(score(game), Actor(SCORER))
    assert game.do(score(game), Actor(SCORER)) == ()


def test_r35_the_game_as_it_stood_is_the_same() -> None:
    game = by_yara()
    ended = game.state
    game.do(REOPEN, REFEREE)
    assert not at_ply(game.state, 0).decided
    assert at_ply(game.state, 1).decided
    before = fold(ID, game.log[: ended.version])
    assert before is not None
    assert (before.ending, before.status) == (ended.ending, GameStatus.FINISHED)


# Kerd: what the first end disclosed stays public.


def kerd(mode: Mode = Mode.CHALLENGE, *, chosen: int = 2) -> Play:
    """A game of Kerd in which this many sides have chosen."""
    game = running(mode, variant="kerd")
    for side, square in [(Side.FIRST, "f11"), (Side.SECOND, "d1")][:chosen]:
        by = SCRIBE if mode is Mode.SCRIBE else (SOUTH, NORTH)[side]
        game.do(c.Choose(side=side, choice=square, nonce=NONCES[side]), by)
    return game


def public_infiltrators(state: GameState) -> str:
    """The infiltrators as everybody sees them in the position string."""
    fen = find_dialect("kerd").write_fen(seen_position(state, STRANGER))
    return fen.split(" ")[FIELDS.index("infiltrators")]


@pytest.mark.parametrize("mode", [Mode.CHALLENGE, Mode.SCRIBE])
def test_r35_what_an_end_discloses_stays_public_and_a_second_end_tells_nothing(mode: Mode) -> None:
    game = kerd(mode)
    game.do(c.CloseGame(), OFFICIAL[mode])
    assert sum(isinstance(e.event, events.ChoiceDisclosed) for e in game.log) == 2
    game.do(REOPEN, OFFICIAL[mode])
    assert not hidden(game.state, STRANGER)
    assert public_infiltrators(game.state) == "f11/d1"
    assert '[WhiteInfiltrator "f11"]' in write_record(game.state, {})
    game.play("e4", "e9")
    assert public_infiltrators(game.state) == "f11/d1"
    made = game.do(c.CloseGame(), OFFICIAL[mode])
    assert [type(event) for event in made] == [events.GameEnded]
    assert read_game(write_record(game.state, {})).result == "*"


def test_r35_who_had_not_chosen_chooses_in_secret_after_the_reopening() -> None:
    game = kerd(chosen=1)
    game.do(c.Resign(), NORTH)
    game.do(REOPEN, REFEREE)
    assert mover(game) is None
    assert game.state.disclosed == {Side.FIRST}
    game.do(c.Choose(choice="d1", nonce=NONCES[1]), NORTH)
    assert mover(game) is Side.FIRST
    assert hidden(game.state, STRANGER) == [Side.SECOND]
    assert hidden(game.state, frozenset({Side.SECOND})) == []
    assert public_infiltrators(game.state) == "f11/?"
    told = game.do(c.Resign(), SOUTH)
    assert told[1:] == (events.ChoiceDisclosed(side=1, choice="d1", nonce=NONCES[1]),)


def test_r35_only_a_running_game_is_played_again() -> None:
    game = by_yara()
    with pytest.raises(NotRunning):
        game.do(c.Retract(plies=1), REFEREE)
    game.do(REOPEN, REFEREE)
    with pytest.raises(NothingToRetract):
        game.do(c.Retract(plies=2), REFEREE)
