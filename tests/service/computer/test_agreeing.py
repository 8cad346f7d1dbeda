"""When the computer resigns, accepts or offers a draw, and answers; and its random choices."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from engine.search.time_management import TimeLeft
from engine.side import Side
from service.computer.agreeing import Standing, offers_draw, resigns, welcomes_draw
from service.computer.levels import LEVELS, Level
from service.computer.pace import find_answer_time
from service.computer.seeds import draw_action_seed, draw_choice, draw_nonce


def standing(chance: float, earlier: float | None = None, quiet: int = 0) -> Standing:
    return Standing(Side.FIRST, chance, earlier, quiet)


@pytest.mark.parametrize(
    ("chance", "earlier", "expected"),
    [(0.01, 0.01, True), (0.01, 0.3, False), (0.01, None, False), (0.2, 0.01, False)],
)
def test_it_resigns_what_is_hopeless_twice(
    chance: float, earlier: float | None, expected: bool
) -> None:
    assert resigns(standing(chance, earlier), LEVELS[4]) is expected


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_levels_of_newcomers_play_on_to_the_end(level: Level) -> None:
    assert resigns(standing(0.0, 0.0), level) is (level.number > 4)


@pytest.mark.parametrize(
    ("chance", "quiet", "expected"),
    [(0.3, 0, True), (0.5, 0, False), (0.5, 80, True), (0.6, 200, False), (0.9, 200, False)],
)
def test_a_draw_is_welcome_to_who_stands_worse(chance: float, quiet: int, expected: bool) -> None:
    assert welcomes_draw(standing(chance, quiet=quiet)) is expected


def test_points_that_decide_a_draw_decide_whether_it_is_welcome() -> None:
    winning, losing = (
        Standing(Side.FIRST, 0.9, None, 0, (4, 2)),
        Standing(Side.SECOND, 0.1, None, 0, (4, 2)),
    )
    assert welcomes_draw(winning)
    assert not welcomes_draw(losing)
    assert not welcomes_draw(Standing(Side.FIRST, 0.9, None, 0, (3, 3)))


def test_it_offers_a_draw_now_and_then_in_a_dead_game() -> None:
    offered = [quiet for quiet in range(150) if offers_draw(standing(0.5, quiet=quiet))]
    assert offered == [100, 101, 120, 121, 140, 141]
    assert not offers_draw(standing(0.1, quiet=100))
    assert not offers_draw(standing(0.7, quiet=100))


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize("left", [40, 1_000, 60_000, 10**9])
@pytest.mark.parametrize("increment", [0, 2_000])
@pytest.mark.parametrize("ply", [0, 40])
@pytest.mark.parametrize("name", ["katruji", "kerd"])
def test_an_answer_comes_before_the_flag_falls(
    level: Level, left: int, increment: int, ply: int, name: str
) -> None:
    variant = VARIANTS[name]
    time = find_answer_time(level, variant, ply, TimeLeft(left, increment))
    assert 0 < time < left
    assert time <= find_answer_time(level, variant, ply, None) <= 1000 * level.seconds


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize(
    "time",
    [
        TimeLeft(3_000, period=1_000, periods=3),
        TimeLeft(2_700, period=1_000, periods=3),
        TimeLeft(0, delay=2_000),
        TimeLeft(4_000, moves_to_go=1),
    ],
)
def test_an_answer_costs_no_period_and_comes_within_a_delay(level: Level, time: TimeLeft) -> None:
    answered = find_answer_time(level, VARIANTS["kerd"], 40, time)
    assert 0 < answered < (time.rest_of_period or time.left + time.delay)


def test_what_is_drawn_depends_on_the_secret_the_game_and_the_place_in_it() -> None:
    drawn = {
        draw_action_seed(secret, game, ply)
        for secret in (b"one", b"two")
        for game in ("a", "b")
        for ply in (1, 2)
    }
    assert len(drawn) == 8
    assert draw_action_seed(b"one", "a", 1) in drawn
    nonces = {draw_nonce(b"s", game, side) for game in "ab" for side in (0, 1)}
    assert len(nonces) == 4
    assert {len(nonce) for nonce in nonces} == {64}


def test_every_choice_is_drawn_as_often_as_another() -> None:
    choices = [str(number) for number in range(20)]
    counts = dict.fromkeys(choices, 0)
    for number in range(4000):
        counts[draw_choice(b"secret", f"game {number}", 0, choices)] += 1
    # Each is expected 200 times, with a standard deviation of 14.
    assert 130 < min(counts.values()) <= max(counts.values()) < 270
