"""Positions as JSON for boards."""

from __future__ import annotations

from random import Random

import pytest

from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.boards.board_position import Course, describe_position
from service.boards.described_actions import name_deed
from service.boards.gains import Gain, list_gains
from service.boards.scene import make_scene


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_tells_what_the_pictures_show(variant: str) -> None:
    written, random = find_dialect(variant), Random(variant)
    position = written.start({})
    for ply in range(1, 60):
        legal = position.legal()
        if not legal:
            break
        action = random.choice(legal)
        san, coordinate = written.san(position, action), written.coordinate(action)
        position.play(action)
        told = describe_position(variant, position, Course(ply, coordinate, san))
        shown = make_scene(variant, told["fen"], coordinate)
        assert (told["ply"], told["action"], told["san"]) == (ply, coordinate, san)
        assert told["last"] == list(shown.last)
        assert told["threatened"] == list(shown.threatened)
        assert told["played"] == (name_deed(variant, coordinate) or san)
        assert told["said"] == f"{told['played']}. {shown.turn}"
        assert told["to_act"] == (None if shown.outcome else ("first", "second")[shown.side])
        assert [tray["pieces"] for tray in told["trays"]] == [
            "".join(letter * count for letter, count in tray.pieces) for tray in shown.trays
        ]


def test_a_position_without_a_course_is_one_that_nothing_has_led_to() -> None:
    written = find_dialect("katruji")
    told = describe_position("katruji", written.start({}))
    assert (told["ply"], told["action"], told["san"], told["last"]) == (0, None, None, [])
    assert (told["points"], told["clocks_ms"]) == ([0, 0], None)
    assert (told["turn"], told["said"]) == ("South to act, move 1",) * 2


def test_what_was_captured_follows_from_the_points_that_it_brought() -> None:
    written = find_dialect("katruji")
    course = Course(gains=[Gain(0, 1), Gain(1, 3), Gain(0, 1)], clocks=(None, 900))
    told = describe_position("katruji", written.start({}), course)
    assert [(tray["side"], tray["pieces"]) for tray in told["trays"]] == [
        ("first", "PP"),
        ("second", "O"),
    ]
    assert told["clocks_ms"] == [None, 900]


def test_a_game_without_points_brings_none() -> None:
    position = find_dialect("kerd").start({})
    assert list_gains(position, position.legal()[:1]) == []


def test_an_infiltrator_that_is_known_is_marked() -> None:
    written = find_dialect("kerd")
    fen = written.write_fen(written.start({})).replace("?/?", "f11/?")
    assert describe_position("kerd", written.read_fen(fen))["marked"] == ["f11"]
