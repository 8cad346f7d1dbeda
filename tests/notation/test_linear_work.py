"""Reading does work in proportion to the text, whatever the text."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from notation import lexer, reader, record, section
from notation.reader import read

READ = {str(module.__file__) for module in (lexer, reader, record, section)}
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
every_hostile_text = pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)


def lines_executed(text: str) -> int:
    """How many lines of the reading modules run while `text` is read."""
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
        for _ in read(io.StringIO(text)):
            pass
    finally:
        sys.settrace(before)
    return count


@every_hostile_text
def test_steps_grow_no_faster_than_the_text(make: Callable[[int], str]) -> None:
    for size in (1_000, 4_000):
        text = make(size)
        assert lines_executed(text) <= LINES_OF_CODE_A_CHARACTER * len(text) + 500


@every_hostile_text
def test_a_large_hostile_text_is_read_to_its_end(make: Callable[[int], str]) -> None:
    data = make(300_000).encode()
    verdicts = list(read(io.BytesIO(data)))
    assert all(verdict.error for verdict in verdicts)
    assert not verdicts or verdicts[-1].end == len(data)
