"""Actions: played, annotated, and how they end a game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from notation.errors import AmbiguousMove, BadAnnotation, IllegalMove, UnreadableToken
from service.errors import BadValue
from service.game.commands import AnnotateAction, Annotation, PlayAction
from service.game.errors import NotASeat, NotRunning, StillPlayed
from service.game.events import ActionAnnotated, ActionPlayed, GameEnded
from service.game.values import Ending, GameStatus, Mode
from tests.service.game.support import (
    DECLARED,
    MODES,
    NORTH,
    QUIET,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    YARA,
    YEMUBUS,
    running,
)

RICH = Annotation(
    nags=(1, 14), before=("ž {",), after=("[%x y]", "b"), clock=3_599_999_999, elapsed=0
)


@pytest.mark.parametrize("mode", MODES)
def test_an_action_is_stored_in_both_forms(mode: Mode) -> None:
    game = running(mode)
    for token in ("a3b3", "Sbb7=O"):
        game.play(token)
    first, second = game.log[-2].event, game.log[-1].event
    assert first == ActionPlayed(ply=1, action="a3b3", san="Sab3=O")
    assert second == ActionPlayed(ply=2, action="b8b7", san="Sbb7=O")
    assert [played.san for played in game.state.played] == ["Sab3=O", "Sbb7=O"]
    assert [played.at for played in game.state.played] == [entry.at for entry in game.log[-2:]]
    assert game.state.to_act is Side.FIRST
    assert game.state.plies == 2


@pytest.mark.parametrize(
    ("token", "wrong"),
    [
        ("Sc2", AmbiguousMove),
        ("Sa8", IllegalMove),
        ("Kyan", IllegalMove),
        ("", UnreadableToken),
        ("e4", UnreadableToken),
        ("--", UnreadableToken),
        ("\0", UnreadableToken),
        ("\ud800", UnreadableToken),
        ("S" * 100_000, UnreadableToken),
    ],
)
def test_a_token_that_is_no_legal_action_changes_nothing(
    token: str, wrong: type[Exception]
) -> None:
    game = running()
    before = game.state
    key = before.position.key()
    with pytest.raises(wrong):
        game.do(PlayAction(token=token), SOUTH)
    assert game.state is before
    assert before.position.key() == key


def test_an_annotation_is_played_with_its_action() -> None:
    game = running()
    (event,) = game.do(PlayAction(token="Sd1", annotation=RICH), SOUTH)
    assert event == ActionPlayed(
        ply=1,
        action="c1d1",
        san="Sd1",
        nags=(1, 14),
        before=("ž {",),
        after=("[%x y]", "b"),
        clock=3_599_999_999,
        elapsed=0,
    )
    assert game.state.played[0].annotation == RICH


UNWRITABLE = [
    Annotation(nags=(256,)),
    Annotation(nags=(-1,)),
    Annotation(after=("a } b",)),
    Annotation(before=("",)),
    Annotation(after=("two\nlines",)),
    Annotation(after=(" spaced",)),
    Annotation(after=("\0",)),
    Annotation(after=("\ud800",)),
    Annotation(after=("x" * 4001,)),
    Annotation(clock=-1),
    Annotation(clock=10_000 * 3_600_000),
    Annotation(elapsed=10**12),
]


@pytest.mark.parametrize("annotation", UNWRITABLE, ids=range(len(UNWRITABLE)))
def test_an_annotation_no_record_can_hold_is_refused(annotation: Annotation) -> None:
    game = running()
    for command in (
        PlayAction(token="Sd1", annotation=annotation),
        AnnotateAction(ply=1, annotation=annotation),
    ):
        with pytest.raises((BadValue, BadAnnotation)):
            game.do(command, SOUTH)
        game.play(*(() if game.state.played else ("Sd1",)))


def test_an_annotation_can_be_replaced_but_not_the_clock() -> None:
    game = running()
    game.do(PlayAction(token="Sd1", annotation=RICH), SOUTH)
    game.play("Sa8")
    command = AnnotateAction(ply=1, annotation=Annotation(nags=(2,), after=("oh",), clock=7))
    assert game.do(command, SOUTH) == (ActionAnnotated(ply=1, nags=(2,), after=("oh",)),)
    assert game.state.played[0].annotation == replace(RICH, nags=(2,), before=(), after=("oh",))
    assert game.do(command, SOUTH) == ()
    assert game.state.played[1].annotation == Annotation()
    with pytest.raises(StillPlayed):
        game.do(replace(command, ply=2), SOUTH)
    with pytest.raises(NotASeat):
        game.do(replace(command, ply=2), STRANGER)
    assert game.do(replace(command, ply=2), REFEREE)
    assert game.do(AnnotateAction(ply=1, annotation=Annotation()), SOUTH)


@pytest.mark.parametrize("ply", [0, -1, 3])
def test_an_action_that_was_not_played_has_no_annotation(ply: int) -> None:
    game = running().play("Sd1", "Sa8")
    with pytest.raises(BadValue, match="the game has 2 actions") as error:
        game.do(AnnotateAction(ply=ply, annotation=Annotation()), SOUTH)
    assert error.value.field == "ply"


def test_a_finished_game_is_still_annotated() -> None:
    game = running(fen=YARA).play("Oxa5")
    assert game.state.status is GameStatus.FINISHED
    assert game.do(AnnotateAction(ply=1, annotation=Annotation(nags=(1,))), SOUTH)
    assert game.state.ending == Ending("1-0", "yara")


ENDINGS = {
    "yara": (YARA, "Oxa5", "1-0", "yara"),
    "yemubus, the mover wins with equal points": (YEMUBUS.format("4-4"), "Pb5", "1-0", "yemubus"),
    "yemubus, the higher points win": (YEMUBUS.format("3-4"), "Pb5", "0-1", "yemubus"),
    "alka": (DECLARED, "Alka", "0-1", "alka"),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("fen", "token", "result", "how"), ENDINGS.values(), ids=ENDINGS)
def test_the_rules_end_a_game_in_the_same_step(
    mode: Mode, fen: str, token: str, result: str, how: str
) -> None:
    game = running(mode, fen=fen)
    played, ended = game.do(PlayAction(token=token), game.mover)
    assert isinstance(played, ActionPlayed)
    assert ended == GameEnded(result=result, termination=how)
    assert game.state.ending == Ending(result, how)
    assert (game.state.status, game.state.to_act) == (GameStatus.FINISHED, None)
    with pytest.raises(NotRunning):
        game.do(PlayAction(token=token), SOUTH)


@pytest.mark.parametrize("mode", MODES)
def test_r0_a_limit_of_plies_draws_the_game(mode: Mode) -> None:
    game = running(mode, tags={"PlyLimit": "3"}).play("Sd1", "Sa8")
    assert game.state.status is GameStatus.RUNNING
    _, ended = game.do(PlayAction(token="Sc2"), game.mover)
    assert ended == GameEnded(result="1/2-1/2", termination="adjudication")


def test_r0_kyan_is_no_ply() -> None:
    game = running(fen=QUIET, tags={"PlyLimit": "2"}).play("Kyan", "Sd1")
    assert (game.state.plies, len(game.state.played)) == (1, 2)
    assert game.state.status is GameStatus.RUNNING
    game.play("Sa8")
    assert game.state.ending == Ending("1/2-1/2", "adjudication")


def test_r0_the_rules_end_a_game_before_the_limit_does() -> None:
    game = running(fen=YARA, tags={"PlyLimit": "1"}).play("Oxa5")
    assert game.state.ending == Ending("1-0", "yara")


def test_after_kyan_the_same_side_acts() -> None:
    game = running(fen=QUIET).play("Kyan")
    assert game.state.to_act is Side.FIRST
    after = game.play("Sd1").state
    assert after.to_act is Side.SECOND


def test_a_scribe_plays_both_sides() -> None:
    game = running(Mode.SCRIBE)
    for token in ("Sd1", "Sa8"):
        game.do(PlayAction(token=token), SCRIBE)
    assert [played.by for played in game.state.played] == ["scribe", "scribe"]


def test_nobody_sees_the_position_of_another_move() -> None:
    game = running()
    before = game.state
    game.play("Sd1")
    assert before.played == ()
    assert before.position.key() != game.state.position.key()
    for actor in (NORTH, STRANGER):
        assert before.side_of(actor.player) is (Side.SECOND if actor is NORTH else None)
