from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.embedded_commands import (
    CLOCK,
    ELAPSED,
    EVALUATION,
    EmbeddedCommand,
    join_comment,
    read_time,
    split_comment,
    write_time,
)
from notation.errors import BadAnnotation

VALUES = st.text("0123456789:.#,-+ab ", max_size=12).map(lambda text: " ".join(text.split()))
COMMANDS = st.builds(
    EmbeddedCommand, st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,5}", fullmatch=True), VALUES
)
PLAIN = st.text("abc .,;%", max_size=20).map(lambda text: " ".join(text.split()))


@given(commands=st.lists(COMMANDS, max_size=4), text=PLAIN)
def test_splitting_undoes_joining(commands: list[EmbeddedCommand], text: str) -> None:
    if not commands and not text:
        with pytest.raises(BadAnnotation):
            join_comment(commands, text)
    else:
        comment = join_comment(commands, text)
        assert split_comment(comment) == (tuple(commands), text)
        assert join_comment(*split_comment(comment)) == comment


def test_commands_may_stand_anywhere_in_a_comment() -> None:
    comment = "so [%eval -0.4] far [%clk 1:05:00][%x] and [%emt  0:00:12 ] on"
    assert split_comment(comment) == (
        (
            EmbeddedCommand(EVALUATION, "-0.4"),
            EmbeddedCommand(CLOCK, "1:05:00"),
            EmbeddedCommand("x", ""),
            EmbeddedCommand(ELAPSED, "0:00:12"),
        ),
        "so far and on",
    )


@pytest.mark.parametrize("text", ["[%]", "[% clk 1]", "[clk 1]", "[%clk 1", "%clk 1]", "[%a-b 1]"])
def test_what_is_no_command_is_text(text: str) -> None:
    assert split_comment(text) == ((), text)


def test_many_brackets_are_no_trouble() -> None:
    text = "[%a " * 100_000
    assert split_comment(text) == ((), text.strip())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", ""),
        ("1a", ""),
        ("a b", ""),
        ("a", "]"),
        ("a", "["),
        ("a", "}"),
        ("a", " b"),
        ("a", "\x00"),
    ],
)
def test_a_command_that_cannot_be_written(name: str, value: str) -> None:
    with pytest.raises(BadAnnotation):
        EmbeddedCommand(name, value)


@given(st.integers(0, 10_000 * 3_600_000 - 1))
def test_reading_a_time_undoes_writing_it(milliseconds: int) -> None:
    assert read_time(write_time(milliseconds)) == milliseconds


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [("0:00:00", 0), ("0:0:1", 1000), ("01:02:03.04", 3_723_040), ("100:00:00", 360_000_000)],
)
def test_times_as_programs_write_them(value: str, milliseconds: int) -> None:
    assert read_time(value) == milliseconds


@pytest.mark.parametrize(
    "value", ["", "1", "1:00", "0:60:00", "0:00:60", "-0:00:01", "0:00:01.", "0:00:1x", "٠:00:00"]
)
def test_what_is_no_time(value: str) -> None:
    with pytest.raises(BadAnnotation, match="time: is not h:mm:ss"):
        read_time(value)


@pytest.mark.parametrize("milliseconds", [-1, 10_000 * 3_600_000])
def test_times_have_bounds(milliseconds: int) -> None:
    with pytest.raises(BadAnnotation, match="time: is not between"):
        write_time(milliseconds)
