"""Games replayed from their actions."""

from __future__ import annotations

from random import Random

import pytest

from engine.errors import IllegalAction
from engine.katruji.kernel import Position
from engine.position import Action
from engine.random_play import random_play
from engine.replay import replay


def test_a_replayed_game_reaches_the_same_position() -> None:
    played = Position()
    actions = [action for action, _ in random_play(played, Random(2), 400)]
    assert replay(Position(), actions).key() == played.key()


def test_no_actions_leave_the_position_alone() -> None:
    start = Position()
    assert replay(start, []) is start
    assert start.key() == Position().key()


def test_an_illegal_action_is_named_with_its_ply() -> None:
    actions = [action for action, _ in random_play(Position(), Random(2), 5)]
    position = Position()
    with pytest.raises(IllegalAction, match="action 3 is not legal at ply 6") as refusal:
        replay(position, [*actions, Action(3)])
    assert (refusal.value.ply, refusal.value.action) == (6, 3)
    assert position.key() == replay(Position(), actions).key()


def test_a_single_action_has_no_ply() -> None:
    with pytest.raises(IllegalAction, match="action 3 is not legal here") as refusal:
        Position().play(Action(3))
    assert refusal.value.ply is None
