"""Time controls are read and written, and refused if no clock could keep them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.side import Side
from notation.errors import BadTimeControl, UnplayableTimeControl
from notation.time_control import (
    DAY,
    MAX_BONUS,
    MAX_SECONDS,
    MAX_STAGES,
    Stage,
    TimeControl,
    check_playable,
    parse_time_control,
)
from service.game.clock import Clock

READ = {
    "300": (Stage(None, 300),),
    "180+2": (Stage(None, 180, increment=2),),
    "300d5": (Stage(None, 300, delay=5),),
    "0d5": (Stage(None, 0, delay=5),),
    "600+0+30(5)": (Stage(None, 600, period=30, periods=5),),
    "0+0+10(1)": (Stage(None, 0, period=10, periods=1),),
    "40/9000": (Stage(40, 9000),),
    "40/5400+30:1800+30": (Stage(40, 5400, increment=30), Stage(None, 1800, increment=30)),
    "40/7200:20/3600:900+30": (
        Stage(40, 7200),
        Stage(20, 3600),
        Stage(None, 900, increment=30),
    ),
    "1/259200": (Stage(1, 259_200),),
    "-": (),
}


@pytest.mark.parametrize("text", READ)
def test_each_form_is_read_and_written(text: str) -> None:
    control = parse_time_control(text)
    assert control == TimeControl(READ[text])
    assert str(control) == text


def test_superfluous_zeros_are_not_written_again() -> None:
    assert str(parse_time_control("0180+0")) == "180"
    assert str(parse_time_control("300d0")) == "300"


stages = (
    st.builds(
        Stage,
        moves=st.none() | st.integers(1, 9999),
        seconds=st.integers(0, 99_999_999),
        increment=st.integers(0, 99_999),
    )
    | st.builds(
        Stage,
        moves=st.none() | st.integers(1, 9999),
        seconds=st.integers(0, 99_999_999),
        delay=st.integers(1, 99_999),
    )
    | st.builds(
        Stage,
        moves=st.none() | st.integers(1, 9999),
        seconds=st.integers(0, 99_999_999),
        increment=st.integers(0, 99_999),
        period=st.integers(0, 99_999),
        periods=st.integers(1, 999),
    )
)


@given(st.lists(stages, max_size=MAX_STAGES).map(tuple).map(TimeControl))
def test_what_is_written_is_read_as_it_was(control: TimeControl) -> None:
    assert parse_time_control(str(control)) == control


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "*180", "fast", "180+", "+2", "3+2+", "40/", "0/60", "-5", "180+2:", "180 + 2"),
        *("5m", "180d", "60+0+30", "60+0+30()", "60+0+30(0)", "60+2d5", "٣٠٠", "180+2\n", "1" * 9),
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadTimeControl) as error:
        parse_time_control(text)
    assert error.value.code == "bad-time-control"


def test_so_many_stages_are_too_many() -> None:
    assert len(parse_time_control(":".join(["40/60"] * MAX_STAGES)).stages) == MAX_STAGES
    with pytest.raises(BadTimeControl, match="more than 8 stages"):
        parse_time_control(":".join(["40/60"] * (MAX_STAGES + 1)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-", "leave the time control out"),
        ("0", "no time for the first move"),
        ("0+2", "no time for the first move"),
        ("40/0+30:1800", "no time for the first move"),
        ("300:300", "stage 1 never ends"),
        ("600+0+0(5)", "a period has 1 to 3600 seconds"),
        ("600+5+30(5)", "no increment"),
        ("40/600+0+30(5)", "no number of moves"),
        ("40/600+0+30(5):600", "periods follow the last stage"),
        (f"{MAX_SECONDS + 1}", "at most"),
        (f"60+{MAX_BONUS + 1}", "at most"),
        (f"60d{MAX_BONUS + 1}", "at most"),
    ],
)
def test_what_no_clock_can_keep_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnplayableTimeControl, match=reason) as error:
        check_playable(parse_time_control(text))
    assert error.value.code == "unplayable-time-control"


@pytest.mark.parametrize("text", [text for text in READ if text != "-"])
def test_all_others_can_be_played(text: str) -> None:
    control = parse_time_control(text)
    check_playable(control)
    assert Clock.set_up(control).left(Side.FIRST, 0) + 1000 * control.stages[0].delay > 0


def test_days_a_move_are_one_move_in_a_day_or_more() -> None:
    assert parse_time_control(f"1/{DAY}").days_a_move
    for text in (f"1/{DAY - 1}", f"2/{DAY}", f"1/{DAY}+1", f"1/{DAY}:600", str(DAY), "-"):
        assert not parse_time_control(text).days_a_move
