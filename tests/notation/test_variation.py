"""Variations by themselves: read, played and written without the game they belong to."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.random_play import random_play
from notation.agreement import Agreement
from notation.errors import RecordError
from notation.game import Line
from notation.movetext import Movetext
from notation.record import read_variation
from notation.registry import find_dialect
from notation.replay import Replay
from notation.writer import write_variation
from tests.games import NAMES, lines

FREE = Agreement()


def play(variant: str, text: str, plies: int = 0, agreed: Agreement = FREE) -> Line:
    """Play a variation from the first position; its text while played must equal the writer's."""
    written = find_dialect(variant)
    record, told = read_variation(text), Movetext()
    line = Replay(record, written, agreed).play_variation(
        record.line, written.start({}), plies, plies + 1, told
    )
    assert told.line() == write_variation(line, written, written.start({}))
    return line


@pytest.mark.slow
@pytest.mark.parametrize("variant", NAMES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_every_variation_comes_back(variant: str, data: st.DataObject) -> None:
    """Reading undoes writing, also where the text has line breaks."""
    texts = find_dialect(variant)
    line = data.draw(lines(texts.start({}), data.draw(st.integers(1, 30)), depth=2))
    text = write_variation(line, texts, texts.start({}))
    assert "\n" not in text
    assert play(variant, text) == line
    assert play(variant, text.replace(" ", "\n")) == line


@pytest.mark.parametrize("variant", NAMES)
def test_a_variation_can_begin_anywhere(variant: str) -> None:
    texts = find_dialect(variant)
    position = texts.start({})
    for action, before in random_play(position, Random(7), 40):
        del action
        for other in before.legal()[:3]:
            after = before.copy()
            after.play(other)
            if after.outcome() is None:
                reply = texts.san(after, after.legal()[0])
                text = f"{texts.san(before, other)} {{so}} {reply}"
                record, told = read_variation(text), Movetext()
                replay = Replay(record, texts, Agreement())
                moves = replay.play_variation(record.line, before.copy(), 0, 1, told)
                assert [move.action for move in moves] == [other, after.legal()[0]]
                assert write_variation(moves, texts, before.copy()) == told.line()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "without an action"),
        ("Pd2 *", r"a result \(\*\)"),
        ("Pd2 1/2", r"a result \(1/2-1/2\)"),
        ('[Event "x"]', "a tag pair inside a variation"),
        ("Pd2) (Pd1", "closes no variation"),
        ("Pd2 (Pd1", "never closed"),
        ("Pd2 {x", "never closed"),
    ],
)
def test_what_is_no_variation_is_refused(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason) as refused:
        read_variation(text)
    assert (refused.value.code, refused.value.ply) == ("syntax", None)


def test_where_an_action_is_illegal_is_told() -> None:
    with pytest.raises(RecordError) as refused:
        play("katruji", "Pd2 Sa8 (Pa7 Pd9)", plies=4)
    error = refused.value
    assert (error.code, error.column, error.ply, error.token) == ("illegal-move", 14, 7, "Pd9")


def test_r0_the_plies_before_a_variation_count_for_the_limit() -> None:
    assert len(play("katruji", "Pd2 Sa8", plies=4, agreed=Agreement(ply_limit=6))) == 2
    with pytest.raises(RecordError, match="limit of plies"):
        play("katruji", "Pd2 Sa8 Pd3", plies=4, agreed=Agreement(ply_limit=6))
