"""Lines to the engine: what they mean, and what is refused."""

from __future__ import annotations

import pytest

from engine.registry import find_variant
from engine.search import Limits
from notation.registry import find_dialect
from service.protocol.commands import checked_number, read_limits, read_option, read_position
from service.protocol.errors import BadCommand, ProtocolError

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
    ],
)
def test_go_refuses_what_is_no_limit(text: str) -> None:
    with pytest.raises(BadCommand):
        read_limits(text.split())


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
