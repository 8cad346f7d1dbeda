"""The engine's commands: what they mean, and what is refused."""

from __future__ import annotations

import pytest

from engine.registry import find_variant
from engine.search import Limits
from engine.search.time_management import TimeLeft
from notation.registry import find_dialect
from service.protocol.commands import checked_number, read_option, read_position
from service.protocol.errors import BadCommand, ProtocolError
from service.protocol.go import Go, read_go, read_limits

KATRUJI = find_variant("katruji")


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("depth 3", Limits(depth=3)),
        ("nodes 800 movetime 250", Limits(nodes=800, seconds=0.25)),
        ("infinite", None),
        ("", None),
    ],
)
def test_go_takes_limits(text: str, limits: Limits | None) -> None:
    assert read_limits(text.split()) == limits


@pytest.mark.parametrize(
    "text",
    [
        "depth",
        "depth x",
        "depth 0",
        "depth 65",
        "nodes -3",
        "soon",
        "depth 1 depth 2",
        "nodes ²",
        f"nodes {'9' * 5000}",
        "inc 100",
        "time 9000 movestogo 0",
        "time",
    ],
)
def test_go_refuses_what_is_no_limit(text: str) -> None:
    with pytest.raises(BadCommand):
        read_go(text.split())


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("time 9000", TimeLeft(9_000)),
        ("time 9000 inc 100 movestogo 7", TimeLeft(9_000, increment=100, moves_to_go=7)),
        ("time 0 delay 2000", TimeLeft(0, delay=2_000)),
        ("time 9000 byoyomi 3000 periods 3", TimeLeft(9_000, period=3_000, periods=3)),
    ],
)
def test_go_takes_what_the_clock_leaves(text: str, time: TimeLeft) -> None:
    go = read_go(f"nodes 500 {text}".split())
    assert go == Go(Limits(nodes=500), time)
    assert read_go(str(go).split()) == go
    position = KATRUJI.start()
    limits = go.find_limits(KATRUJI, position, 20)
    assert limits is not None
    assert limits.nodes == 500
    assert limits.budget is not None
    alone = read_go(text.split()).find_limits(KATRUJI, position, 20)
    assert alone == Limits(budget=limits.budget)
    assert read_go(["nodes", "5"]).find_limits(KATRUJI, position, 20) == Limits(nodes=5)
    assert read_go([]).find_limits(KATRUJI, position, 20) is None


def test_one_period_is_meant_where_none_is_counted() -> None:
    assert read_go(["time", "9000", "byoyomi", "3000"]).time == TimeLeft(9_000, 0, 0, 3_000, 1)


def test_limits_alone_take_no_clock() -> None:
    with pytest.raises(BadCommand, match="clock"):
        read_limits(["time", "9000"])


def test_a_position_is_the_first_one_or_a_fen_with_moves_behind_it() -> None:
    written = find_dialect("katruji")
    played = read_position(KATRUJI, ["startpos", "moves", "b3c4", "Pd5"])
    fen = written.write_fen(played)
    assert read_position(KATRUJI, ["fen", *fen.split()]).key() == played.key()
    assert played.number == 2


@pytest.mark.parametrize(
    "text", ["", "start", "fen 4/4 s", "startpos moves a1a8", "startpos moves zz", "moves b3c4"]
)
def test_what_is_no_position_is_refused_with_its_reason(text: str) -> None:
    with pytest.raises(BadCommand) as caught:
        read_position(KATRUJI, text.split())
    assert str(caught.value) == caught.value.reason != ""
    assert isinstance(caught.value, ProtocolError)


def test_options_are_numbers_within_bounds() -> None:
    assert read_option(["name", "MultiPV", "value", "3"]) == ("MultiPV", "3")
    assert checked_number("MultiPV", "3") == 3
    for name, value in (
        ("MultiPV", "0"),
        ("Hash", "9999"),
        ("Threads", "0"),
        ("Threads", "65"),
        ("Threads", "²"),
        ("Seed", "x"),
        ("Colour", "1"),
    ):
        with pytest.raises(BadCommand):
            checked_number(name, value)
    with pytest.raises(BadCommand):
        read_option(["MultiPV", "3"])
