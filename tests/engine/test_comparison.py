from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.comparison import NONE, add_changes

LETTERS = b"PSOps"
NUMBERS = bytes(LETTERS.index(byte) if byte in LETTERS else NONE for byte in range(256))
BOARDS = st.lists(st.sampled_from(b" .PSOps"), min_size=12, max_size=12).map(bytes)


@given(boards=st.lists(BOARDS, min_size=1, max_size=6))
def test_changes_lead_from_one_board_to_the_next(boards: list[bytes]) -> None:
    counts = bytearray(len(LETTERS))
    standing: set[int] = set()
    for before, after in zip([b" " * 12, *boards], boards, strict=False):
        found: list[int] = []
        add_changes(before, after, NUMBERS, counts, found)
        assert len(set(found)) == len(found)
        standing ^= set(found)
        assert standing == {
            cell * len(LETTERS) + NUMBERS[byte]
            for cell, byte in enumerate(after)
            if byte in LETTERS
        }
        assert bytes(counts) == bytes(after.count(letter) for letter in LETTERS)


def test_what_has_gone_is_noted_before_what_has_come() -> None:
    counts = bytearray([1, 1, 0, 0, 0])
    found: list[int] = []
    add_changes(b"PS ", b" PP", NUMBERS, counts, found)
    assert found == [0, 5 + 1, 5 + 0, 10 + 0]
    assert list(counts) == [2, 0, 0, 0, 0]


@pytest.mark.parametrize(("after", "numbers"), [(b"PS", NUMBERS), (b"PSO", NUMBERS[:-1])])
def test_boards_of_different_sizes_are_refused(after: bytes, numbers: bytes) -> None:
    with pytest.raises(ValueError, match="3"):
        add_changes(b"PSO", after, numbers, bytearray(5), [])
