from __future__ import annotations

from dataclasses import replace

import pytest

from engine.registry import find_variant
from engine.side import Side
from service.analysis.finding import FoundLine
from service.analysis.judgement import (
    BLUNDER,
    GLYPHS,
    INACCURACY,
    MISTAKE,
    THRESHOLDS,
    Judged,
    compute_accuracy,
    is_only_action,
    judge,
    judge_all,
)
from tests.service.analysis.support import found


@pytest.mark.parametrize(
    ("loss", "judgement"),
    [
        (0.0, None),
        (0.0499, None),
        (INACCURACY, "inaccuracy"),
        (0.0999, "inaccuracy"),
        (MISTAKE, "mistake"),
        (BLUNDER, "blunder"),
        (0.9, "blunder"),
    ],
)
@pytest.mark.parametrize("side", Side)
def test_an_action_is_judged_by_the_chance_it_gave_away(
    side: Side, loss: float, judgement: str | None
) -> None:
    before = found(side, chance=0.95 if side is Side.FIRST else 0.05, played="a1a2")
    after = found(side.other, chance=before.chance - loss if side is Side.FIRST else 0.05 + loss)
    assert judge(before, after) == Judged(side, loss, judgement)


def test_what_gained_lost_nothing() -> None:
    assert judge(found(0, 0.4, "a1a2"), found(1, 0.6)) == Judged(Side.FIRST, 0.0, None)


def test_the_best_action_lost_nothing_whatever_was_found_behind_it() -> None:
    before = found(0, 0.9, played="a1a2", best="a1a2")
    assert judge(before, found(1, 0.1)) == Judged(Side.FIRST, 0.0, None)


def test_the_same_side_may_act_twice() -> None:
    before, after = found(0, 0.8, played="Kyan"), found(0, 0.5)
    assert judge(before, after) == Judged(Side.FIRST, 0.3, "blunder")


def test_what_was_no_choice_or_is_not_known_is_not_judged() -> None:
    known, forced = found(0, 0.9, "a1a2"), found(0, 0.9, "a1a2", choices=1)
    assert judge_all([known, None, known, forced, known]) == [
        None,
        None,
        Judged(Side.FIRST, 0.0, None),
        None,
    ]


def test_accuracy_is_the_mean_over_a_sides_actions() -> None:
    judged = [Judged(Side.FIRST, 0.0, None), None, Judged(Side.SECOND, 0.2, "blunder")]
    assert compute_accuracy(judged, Side.FIRST) == 100
    assert compute_accuracy(judged, Side.SECOND) == 25
    assert compute_accuracy([None], Side.FIRST) is None


def test_every_judgement_has_a_glyph_and_the_gravest_comes_first() -> None:
    assert set(THRESHOLDS) == set(GLYPHS)
    assert list(THRESHOLDS.values()) == sorted(THRESHOLDS.values(), reverse=True)


def test_an_only_action_is_one_without_which_much_would_be_lost() -> None:
    katruji = find_variant("katruji")
    lines = (
        FoundLine(300, None, ("a1a2",), ("Pa2",)),
        FoundLine(-300, None, ("b1b2",), ("Pb2",)),
    )
    only = replace(found(0, 0.6, "a1a2"), lines=lines)
    assert is_only_action(katruji, only)
    assert not is_only_action(katruji, replace(only, played="b1b2"))
    assert not is_only_action(katruji, replace(only, choices=1))
    assert not is_only_action(katruji, replace(only, lines=lines[:1]))
    assert not is_only_action(katruji, replace(only, worlds=4))
    alike = (lines[0], replace(lines[1], score=299))
    assert not is_only_action(katruji, replace(only, lines=alike))
    assert not is_only_action(katruji, replace(only, side=Side.SECOND))
    for_second = replace(only, side=Side.SECOND, played="b1b2", lines=lines[::-1])
    assert is_only_action(katruji, for_second)
