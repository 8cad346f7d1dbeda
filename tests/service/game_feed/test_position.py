"""Positions and their text form."""

from __future__ import annotations

from random import Random

import pytest

from service.game_feed.errors import BadPosition
from service.game_feed.position import Position, PositionCipher, begin_at, decode, encode

CIPHER = PositionCipher(b"secret", 64)
NOW = 1_800_000_000_000


def positions() -> list[Position]:
    random = Random(1)
    found = [begin_at(64)]
    for spread in (1, 1000, 10**9, NOW):
        places = tuple(
            (NOW - random.randrange(spread), random.choice([0, 0, 0, 1, 70_000])) for _ in range(64)
        )
        found += [Position(places), Position(places, (63, 5))]
    return found


@pytest.mark.parametrize("position", positions(), ids=range(len(positions())))
def test_a_position_is_read_as_it_was_written(position: Position) -> None:
    text = CIPHER.write(position)
    assert CIPHER.read(text) == position
    assert decode(encode(position)) == position
    assert len(text) < 700
    assert CIPHER.write(position) == text


def test_what_was_not_written_is_refused() -> None:
    position = positions()[1]
    text = CIPHER.write(position)
    others = [
        PositionCipher(b"other", 64).write(position),
        PositionCipher(b"secret", 8).write(begin_at(8)),
        "2" + text[1:],
        text[:-1],
        text + "A",
        text + "=",
        text.swapcase(),
        text[:50],
        "1",
        "",
        "1" + "A" * 3000,
        "1ä",
        "1 ",
    ]
    for other in others:
        with pytest.raises(BadPosition):
            CIPHER.read(other)
    for number in range(1, len(text)):
        changed = text[:number] + ("A" if text[number] != "A" else "B") + text[number + 1 :]
        with pytest.raises(BadPosition):
            CIPHER.read(changed)


@pytest.mark.parametrize("data", [b"", b"\x02", b"\x02\x05\x00", b"\x02\x05\x00\x00\x00", b"\xff"])
def test_a_position_that_is_cut_short_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="short"):
        decode(data)


def test_positions_are_joined_and_compared() -> None:
    one = Position(((5, 0), (9, 1), (0, 0)))
    other = Position(((6, 0), (9, 0), (0, 0)))
    both = one.join(other)
    assert both == Position(((6, 0), (9, 1), (0, 0)))
    assert both.covers(one)
    assert both.covers(other)
    assert not one.covers(other)
    assert one.move(2, (7, 0)).covers(one)
