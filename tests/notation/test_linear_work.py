"""Reading does work in proportion to the text, whatever the text."""

from __future__ import annotations

import io
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from notation import (
    game,
    judge,
    lexer,
    line_play,
    lines,
    reader,
    record,
    replay,
    section,
    writer,
    written_line,
)
from notation.game import MAX_NESTING
from notation.reader import read, read_game
from notation.writer import write

READ = {
    str(module.__file__)
    for module in (
        *(game, judge, lexer, line_play, lines, reader, record),
        *(replay, section, writer, written_line),
    )
}
LINES_OF_CODE_A_CHARACTER = 40

HEAD = '[Event "x"]\n\n'
HOSTILE: dict[str, Callable[[int], str]] = {
    "unclosed comments": lambda n: (HEAD + "1. Pd1 {\n") * (n // 22),
    "braces": lambda n: HEAD + "{" * n,
    "comments": lambda n: HEAD + "{}" * (n // 2),
    "open variations": lambda n: HEAD + "(" * n,
    "variations": lambda n: HEAD + "()" * (n // 2),
    "nested variations": lambda n: HEAD + "(" * (n // 2) + ")" * (n // 2),
    "tag sections": lambda n: HEAD * (n // 13),
    "brackets": lambda n: "[" * n,
    "bracket lines": lambda n: "[\n" * (n // 2),
    "half tags": lambda n: '[A "' * (n // 4),
    "half tag lines": lambda n: '[A "\n' * (n // 5),
    "backslashes": lambda n: '[A "' + "\\" * n,
    "digits": lambda n: HEAD + "1" * n,
    "digits and a letter": lambda n: HEAD + "1" * n + "x",
    "dots": lambda n: HEAD + "." * n,
    "spaces": lambda n: HEAD + " " * n + "~",
    "blank lines": lambda n: HEAD + "\n" * n + "~",
    "carriage returns": lambda n: HEAD + "\r" * n + "~",
    "results": lambda n: HEAD + "* " * (n // 2),
    "almost results": lambda n: HEAD + "1-0" * (n // 3),
    "suffixes": lambda n: HEAD + "Pd1" + "!" * n,
    "glyphs": lambda n: HEAD + "Pd1 $" + "9" * n,
    "line comments": lambda n: HEAD + ";\n" * (n // 2),
    "escapes": lambda n: HEAD + "%\n" * (n // 2),
    "byte order marks": lambda n: "\ufeff" * n,
    "zeros": lambda n: "\x00" * n,
    "moves": lambda n: HEAD + "Pd1 " * (n // 4),
    "rubbish": lambda n: "x " * (n // 2),
    "many tags": lambda n: "".join(f'[A{i} ""]\n' for i in range(n // 12)),
    "a comment of words": lambda n: HEAD + "Pd1 {" + "w " * (n // 2) + "} *",
}
PLAYED = '[Variant "katruji"]\n\nPd2 '
DEEP = "(Pd1 " * MAX_NESTING + ")" * MAX_NESTING
LEGAL: dict[str, Callable[[int], str]] = {
    "variations of one action": lambda n: PLAYED + "(Pd1) " * (n // 6) + "*",
    "long variations": lambda n: PLAYED + "(Pd1 Pa7 Pd2 Sa8) " * (n // 18) + "*",
    "the deepest variations": lambda n: PLAYED + DEEP * (n // len(DEEP)) + "*",
    "comments of variations": lambda n: PLAYED + "({x} Pd1 {y} (Pd1) {z}) " * (n // 24) + "*",
}
every_hostile_text = pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)


def lines_executed(work: Callable[[], object]) -> int:
    """How many lines of the reading and writing modules `work` executes."""
    count = 0

    def local(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        return local if frame.f_code.co_filename in READ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@every_hostile_text
def test_steps_grow_no_faster_than_the_text(make: Callable[[int], str]) -> None:
    for size in (1_000, 4_000):
        text = make(size)
        steps = lines_executed(partial(list, read(io.StringIO(text))))
        assert steps <= LINES_OF_CODE_A_CHARACTER * len(text) + 500


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL)
def test_trees_are_read_and_written_in_steps_that_grow_with_them(
    make: Callable[[int], str],
) -> None:
    for size in (2_000, 8_000):
        text = make(size)
        game = read_game(text)
        most = LINES_OF_CODE_A_CHARACTER * len(text) + 500
        assert lines_executed(partial(read_game, text)) <= most
        assert lines_executed(partial(write, game)) <= most


@every_hostile_text
def test_a_large_hostile_text_is_read_to_its_end(make: Callable[[int], str]) -> None:
    data = make(300_000).encode()
    verdicts = list(read(io.BytesIO(data)))
    assert verdicts
    assert all(verdict.error for verdict in verdicts)
    assert verdicts[-1].end == len(data)


@pytest.mark.parametrize("line", ["\n", "\r\n", " \n", "\t\n", "\v\n"], ids=repr)
@pytest.mark.parametrize("before", [HEAD, HEAD + "Pd1 {", ""], ids=["tags", "comment", "nothing"])
def test_blank_lines_cost_what_other_bytes_cost(line: str, before: str) -> None:
    """Splitting blank lines takes no more than twice the steps of as many bytes of play."""

    def steps(text: str) -> int:
        data = (before + text).encode()
        return lines_executed(partial(list, section.split_sections(io.BytesIO(data), limit=50_000)))

    for size in (40_000, 400_000):
        lines_of_play = ("1. Pd1 Pa7 " * 7 + "\n") * (size // 78)
        assert steps(line * (size // len(line))) <= 2 * steps(lines_of_play)


@pytest.mark.parametrize("line", ["[\n", "[A\n", '[A "\n', "\ufeff\n"], ids=repr)
def test_lines_that_look_like_tags_cost_nothing_more_in_what_is_too_large(line: str) -> None:
    """A gibibyte of such lines, packed into kilobytes, once kept an import busy for ten minutes."""

    def steps(size: int) -> int:
        data = (line * (size // len(line))).encode()
        return lines_executed(partial(list, section.split_sections(io.BytesIO(data), limit=10_000)))

    chunk = lines.CHUNK
    assert steps(8 * chunk) <= steps(2 * chunk) + 6 * 200


def test_what_is_too_large_is_forgotten_with_the_names_of_its_tags() -> None:
    data = "".join(f'[{number} "\n' for number in range(200_000)).encode()
    tracemalloc.start()
    try:
        (found,) = section.split_sections(io.BytesIO(data), limit=10_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.oversize, found.end) == (True, len(data))
    assert most < 10_000 * 20 + 8 * lines.CHUNK
