from __future__ import annotations

import io
import re
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notation.errors import RecordError
from notation.game import Game
from notation.reader import read, read_game
from notation.writer import write
from tests.games import games, recorded, records_of, write_all

GUIDE = Path(__file__).parents[2] / "docs" / "notation.md"
RECORDS = records_of("katruji").read_bytes()
KNOWN_CODES = {
    "illegal-move",
    "ambiguous-move",
    "after-the-end",
    "wrong-result",
    "wrong-points",
    "wrong-termination",
    "unknown-variant",
    "bad-commitment",
    "bad-fen",
    "syntax",
    "no-result",
    "too-large",
}
BITS = st.sampled_from(
    [b"{", b"}", b"(", b")", b'"', b"\\", b"\n", b"\r", b"[", b"%", b"$", b"\xff", b"\x00", b"*"]
)


SOUP = st.lists(
    st.sampled_from(
        [
            "(",
            "(",
            ")",
            ")",
            "Pd1",
            "Pd2",
            "Pa7",
            "1.",
            "1...",
            "2.",
            "{x}",
            "!?",
            "$9",
            "*",
            "; y\n",
        ]
    ),
    max_size=40,
)


def check_verdicts(data: bytes) -> None:
    """Invariants of any reading: numbers and ranges in order, known codes, round trips."""
    before = 0
    for number, verdict in enumerate(read(io.BytesIO(data)), 1):
        assert verdict.number == number
        assert before <= verdict.start < verdict.end <= len(data)
        before = verdict.start
        if verdict.error is not None:
            assert verdict.error.code in KNOWN_CODES
            assert str(verdict.error)
        else:
            assert read_game(write(verdict.game)) == verdict.game


@given(st.binary())
def test_bytes_never_raise(data: bytes) -> None:
    check_verdicts(data)
    check_verdicts(b'[Variant "katruji"]\n\n' + data)


@given(soup=SOUP)
@settings(max_examples=300)
def test_parentheses_in_any_order_never_raise(soup: list[str]) -> None:
    check_verdicts(f'[Variant "katruji"]\n\nPd1 {" ".join(soup)} *\n'.encode())


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=40)
def test_a_damaged_tree_never_raises(data: st.DataObject) -> None:
    text = write(data.draw(games("katruji")))
    at = data.draw(st.integers(text.index("\n\n"), len(text)))
    patch = data.draw(
        st.sampled_from(["", "(", ")", "((", "))", "{", "}", " * ", "Pd1 ", "1.", "$3"])
    )
    check_verdicts((text[:at] + patch + text[at + data.draw(st.integers(0, 3)) :]).encode())


@given(
    seed=st.integers(0, 2**32),
    bits=st.lists(BITS | st.binary(min_size=1, max_size=3), min_size=1, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_damaged_records_never_raise(seed: int, bits: list[bytes]) -> None:
    random = Random(seed)
    data = RECORDS[:3000]
    for bit in bits:
        at = random.randrange(len(data))
        data = data[:at] + bit + data[at + random.choice([0, len(bit), 40]) :]
    check_verdicts(data)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_damaged_game_never_harms_its_neighbours(data: st.DataObject) -> None:
    before, after = recorded("katruji")[1:3]
    damaged = write(recorded("katruji")[0])
    start = damaged.index("\n\n") + 2
    at = data.draw(st.integers(start, len(damaged)))
    patch = data.draw(st.text(max_size=5) | st.sampled_from(["{", "(", '"', "%", ";", "* *", "]"]))
    damaged = damaged[:at] + patch + damaged[at + data.draw(st.integers(0, 9)) :]
    text = f"{write(before)}\n{damaged}\n\n{write(after)}"
    contents = [verdict.content for verdict in read(io.StringIO(text))]
    assert contents[0] == before
    assert contents[-1] == after
    assert len(contents) in (3, 4)


@pytest.mark.slow
@given(game=games("katruji"), ending=st.sampled_from(["\n", "\r\n"]), mark=st.booleans())
@settings(max_examples=20, deadline=None)
def test_line_ends_and_byte_order_marks_change_nothing(game: Game, ending: str, mark: bool) -> None:
    text = "\ufeff" * mark + write(game).replace("\n", ending)
    (verdict,) = read(io.BytesIO(text.encode()))
    assert verdict.game == game


def test_verdicts_come_one_by_one() -> None:
    class Endless(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            if not (data := super().read1(size)):
                self.seek(0)
            return data or super().read1(size)

    verdicts = read(Endless(b'[Variant "katruji"]\n\n*\n'))
    assert [next(verdicts).number for _ in range(5)] == [1, 2, 3, 4, 5]


class Generated(io.RawIOBase):
    """A stream of `copies` copies of some games, never all of them in memory."""

    def __init__(self, data: bytes, copies: int) -> None:
        self._data = data
        self._copies = copies
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._ready and self._copies:
            self._copies -= 1
            self._ready = self._data
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


def peak_memory(copies: int) -> int:
    """The peak memory while reading copies of five games, one of which has a deep tree."""
    deep = '[Variant "katruji"]\n\n1. Pd2 ' + "(1. Pd1 {x} " * 50 + ")" * 50 + " *\n\n"
    data = deep.encode() + write_all(recorded("katruji")[:4]).encode() + b"\n"
    tracemalloc.start()
    count = sum(
        verdict.error is None for verdict in read(io.BufferedReader(Generated(data, copies)))
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5 * copies
    return peak


def test_the_guide_lists_every_code() -> None:
    table = GUIDE.read_text("utf-8").partition("| code |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == KNOWN_CODES


def test_the_record_in_the_guide_is_as_it_would_be_written() -> None:
    example = GUIDE.read_text("utf-8").split("```\n")[1]
    assert write(read_game(example)) == example


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file() -> None:
    # In this process, threads that other tests left running would be counted as well.
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        assert alone.submit(peak_memory, 200).result() <= 2 * alone.submit(peak_memory, 5).result()


def test_a_verdict_knows_where_its_game_stands() -> None:
    verdicts = list(read(io.BytesIO(RECORDS)))
    third = verdicts[2]
    assert read_game(RECORDS[third.start : third.end].decode()) == third.game
    assert RECORDS.splitlines()[third.line - 1].startswith(b"[Event")
    assert verdicts[-1].end == len(RECORDS)


def test_a_verdict_in_a_line() -> None:
    text = (
        '[Variant "katruji"]\n\n*\n\n[Variant "katruji"]\n\n1. Pd2 Pz9 *\n\n[Variant "x"]\n\n*\n\nx'
    )
    verdicts = list(read(io.StringIO(text)))
    assert [str(verdict) for verdict in verdicts] == [
        "1 ok",
        "2 quarantined illegal-move 7 2",
        "3 quarantined unknown-variant 9 -",
        "4 quarantined syntax 13 -",
    ]
    assert verdicts[0].error is None
    with pytest.raises(RecordError, match="Pz9"):
        _ = verdicts[1].game


def test_a_game_above_the_limit_is_quarantined() -> None:
    text = write_all(recorded("katruji")[:3])
    largest = max(verdict.end - verdict.start for verdict in read(io.StringIO(text)))
    assert all(verdict.error is None for verdict in read(io.StringIO(text), limit=largest))
    codes = [verdict.error and verdict.error.code for verdict in read(io.StringIO(text), limit=500)]
    assert codes.count("too-large") >= 1
    assert len(codes) == 3


def test_the_limit_bounds_every_part_of_a_game() -> None:
    comment = "x " * 400_000
    text = f'[Variant "katruji"]\n[Own "{"y" * 100_000}"]\n\n{{{comment}}} *\n'
    assert len(read_game(text).comments[0]) == 2 * 400_000 - 1
    with pytest.raises(RecordError) as caught:
        read_game(text, limit=800_000)
    assert caught.value.code == "too-large"


@pytest.mark.parametrize(("text", "line"), [("", None), ("; nothing\n", None), ("{\n", 1)])
def test_one_game_is_wanted_and_none_is_there(text: str, line: int | None) -> None:
    with pytest.raises(RecordError) as caught:
        read_game(text)
    assert (caught.value.code, caught.value.line) == ("syntax", line)


def test_one_game_is_wanted_and_two_are_there() -> None:
    game = '[Variant "katruji"]\n\n*\n'
    with pytest.raises(RecordError, match="more than one") as caught:
        read_game(game * 2)
    assert caught.value.line == 4
