"""Ruling R36: a loss on time, and when it is a draw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.side import Side
from notation.reader import read_game
from notation.registry import find_dialect
from service.errors import BadValue
from service.game import events
from service.game.commands import (
    Adjudicate,
    Choose,
    CorrectResult,
    LoseOnTime,
)
from service.game.record import write_record
from service.game.values import Mode
from tests.engine.kerak_support import at as kerak_at
from tests.engine.kerd_support import DIALECTS
from tests.engine.kerd_support import at as kerd_at
from tests.service.game.support import NORTH, REFEREE, SOUTH, Play, new_game, running

NONCES = ("ab" * 16, "cd" * 16)
DRAW = Adjudicate(result="1/2-1/2", termination="time forfeit")


def kerd(variant: str, pieces: str, infiltrators: str, kept: str | None = None) -> Play:
    """A game from a position with these pieces; `kept` is how its choices are kept, if at all."""
    position = kerd_at(
        pieces, infiltrators=infiltrators, checked=1, number=9, dialect=DIALECTS[variant]
    )
    fen = DIALECTS[variant].write_fen(position)
    command = new_game(Mode.ARBITER, fen=fen, variant=variant)
    return Play(replace(command, secret_choice=kept), REFEREE)


def timed_out(game: Play, side: Side) -> tuple[str, str]:
    """How the game ends when this side runs out of time; its record must read back the same."""
    ended = game.do(LoseOnTime(side=side), REFEREE)[0]
    assert isinstance(ended, events.GameEnded)
    assert read_game(write_record(game.state, {})).result == ended.result
    return ended.result, ended.termination


@pytest.mark.parametrize("side", Side)
def test_r36_in_katruji_the_side_always_loses(side: Side) -> None:
    expected = ("0-1", "1-0")[side]
    assert timed_out(running(fen="3O/4/4/4/4/4/4/O3 s 0-0 - 0 1"), side) == (
        expected,
        "time forfeit",
    )


@pytest.mark.parametrize("variant", DIALECTS)
def test_r36_a_bare_king_draws_on_time(variant: str) -> None:
    game = kerd(variant, "Pe4", "x/x")
    assert timed_out(game, Side.FIRST) == ("1/2-1/2", "time forfeit")
    game = kerd(variant, "Pe4", "x/x")
    assert timed_out(game, Side.SECOND) == ("1-0", "time forfeit")


def test_r36_a_bare_king_with_a_reveal_left_wins_on_time() -> None:
    game = kerd("kerd", "Pe4 He5", "x/?")
    game.do(Choose(choice="e4", nonce=NONCES[1]), NORTH)
    assert timed_out(game, Side.FIRST) == ("0-1", "time forfeit")


def kerak(men: str, points: tuple[int, int] = (0, 0), tags: dict[str, str] | None = None) -> Play:
    fen = find_dialect("kerak").write_fen(kerak_at(men, points=points))
    return running(Mode.ARBITER, fen=fen, variant="kerak", tags=tags)


def test_r36_a_side_without_a_captor_draws_on_time() -> None:
    assert timed_out(kerak("Ie5 Vd5 vc7"), Side.FIRST) == ("1/2-1/2", "time forfeit")
    assert timed_out(kerak("Ie5 Vd5 vc7"), Side.SECOND) == ("1-0", "time forfeit")


def test_r36_a_draw_on_time_goes_to_the_side_with_more_points_where_that_was_agreed() -> None:
    game = kerak("Ie5 Vd5 vc7", (5, 3), {"DrawByPoints": "yes"})
    assert timed_out(game, Side.FIRST) == ("1-0", "points")


def test_r36_a_draw_on_time_is_ruled_only_where_there_is_one() -> None:
    with pytest.raises(BadValue, match="either side could still win") as error:
        kerd("kerd", "Pe4 pe9", "x/x").do(DRAW, REFEREE)
    assert error.value.field == "termination"
    game = kerd("kerd", "Pe4", "x/x")
    with pytest.raises(BadValue, match="could not win any more"):
        game.do(Adjudicate(result="0-1", termination="time forfeit"), REFEREE)
    assert game.do(DRAW, REFEREE)[0] == events.GameEnded(
        result="1/2-1/2", termination="time forfeit"
    )
    wrong = CorrectResult(result="0-1", termination="time forfeit", reason="why")
    with pytest.raises(BadValue, match="could not win any more"):
        game.do(wrong, REFEREE)


def test_r36_where_all_hangs_on_an_unknown_choice_either_is_the_arbiters_to_say() -> None:
    for result in ("0-1", "1/2-1/2"):
        game = kerd("kerd", "Pe4 He5", "-/?", "unknown")
        assert game.do(Adjudicate(result=result, termination="time forfeit"), REFEREE)
    game = kerd("kerd", "Pe4 He5", "-/?", "unknown")
    assert timed_out(game, Side.FIRST) == ("0-1", "time forfeit")


@pytest.mark.parametrize("choice", ["b2", "h9"])
@pytest.mark.parametrize("result", ["1-0", "1/2-1/2"])
def test_r36_a_ruling_is_judged_by_what_everybody_knows(choice: str, result: str) -> None:
    """White's King captures b2, perhaps the piece White chose; a refusal would tell."""
    game = kerd("kerd", "pb2 hh9", "?/x")
    game.do(Choose(choice=choice, nonce=NONCES[0]), SOUTH)
    game.play("Kxb2")
    assert game.do(Adjudicate(result=result, termination="time forfeit"), REFEREE)
    game = kerd("kerd", "pb2 hh9", "?/x")
    game.do(Choose(choice=choice, nonce=NONCES[0]), SOUTH)
    game.play("Kxb2")
    expected = {"b2": "1/2-1/2", "h9": "1-0"}[choice]
    assert timed_out(game, Side.SECOND) == (expected, "time forfeit")


def test_r36_records_say_themselves_how_a_loss_on_time_ended() -> None:
    """A record of a time forfeit may state any result, since the arbiter decided it."""
    head = '[Variant "katruji"]\n[Termination "time forfeit"]\n'
    for result in ("1-0", "0-1", "1/2-1/2"):
        assert read_game(f"{head}\n1. Sd1 {result}\n").result == result
