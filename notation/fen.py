"""The parts of position strings that are common to every game's FEN (rules page `notation.md`).

Readers accept only the canonical spelling. Each function reads or writes one kind of field;
errors are BadFen with the name of the field.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from engine.phrase import phrase
from notation.errors import BadFen

WIDEST: Final = 12
"""The most spaces in a row of any board."""
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_RUN: Final = re.compile(r"[1-9][0-9]?")
_RUNS: Final = [(" " * length, str(length)) for length in range(WIDEST, 0, -1)]
"""Runs of empty spaces and how they are written; the longest come first."""
_SHOWN: Final = 40


def quote_text(text: str) -> str:
    """`text` as an error quotes it: its repr, shortened if it is long.

    >>> quote_text("1SOO")
    "'1SOO'"
    """
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position string, one for each of `names`, separated by one space each."""
    fields = text.split(" ")
    for name, field in zip(names, fields, strict=False):
        if not field:
            raise BadFen(name, "empty")
    if len(fields) < len(names):
        missing = names[len(fields)]
        raise BadFen(
            missing,
            phrase(
                "missing, expected the {number} fields {names}",
                number=len(names),
                names=" ".join(names),
            ),
        )
    if len(fields) > len(names):
        raise BadFen(
            "fen",
            phrase("{number} fields, expected {expected}", number=len(fields), expected=len(names)),
        )
    return fields


def read_rows(text: str, widths: Sequence[int], letters: str) -> list[list[str]]:
    """The rows of a placement, in written order; an empty space is the empty string.

    `widths` are the rows' lengths, `letters` the pieces that may stand on the board.

    >>> read_rows("1SO/3", [3, 3], "PSO")
    [['', 'S', 'O'], ['', '', '']]
    """
    rows = text.split("/", len(widths))
    if len(rows) != len(widths):
        raise BadFen(
            "placement",
            phrase(
                "{number} rows, expected {expected}",
                number=text.count("/") + 1,
                expected=len(widths),
            ),
        )
    return [
        _read_row(row, number, width, letters)
        for number, (row, width) in enumerate(zip(rows, widths, strict=True), 1)
    ]


def _read_row(text: str, number: int, width: int, letters: str) -> list[str]:
    cells: list[str] = []
    at = 0
    after_run = False
    while at < len(text) and len(cells) <= width:
        run = _RUN.match(text, at)
        if run is None:
            if text[at] not in letters:
                raise BadFen(
                    "placement",
                    phrase("row {number} has no piece {text!r}", number=number, text=text[at]),
                )
            cells.append(text[at])
            at += 1
        elif after_run:
            raise BadFen(
                "placement", phrase("row {number} splits a run of empty spaces", number=number)
            )
        else:
            cells.extend([""] * min(int(run.group()), width + 1))
            at = run.end()
        after_run = run is not None
    if len(cells) != width or at < len(text):
        found = phrase("more") if len(cells) > width or at < len(text) else str(len(cells))
        raise BadFen(
            "placement",
            phrase(
                "row {number} has {found} spaces, expected {width}",
                number=number,
                found=found,
                width=width,
            ),
        )
    return cells


def write_rows(rows: Iterable[str]) -> str:
    """The placement field for rows that have a letter for each piece and a blank for no piece.

    >>> write_rows([" SO", "   "])
    '1SO/3'
    """
    board = "/".join(rows)
    for blanks, run in _RUNS:
        board = board.replace(blanks, run)
    return board


def spread_cells(fen: str) -> bytes:
    """The cells of a canonical FEN in its order: a letter for a piece, a blank for none.

    >>> spread_cells("SO1/2S s")
    b'SO   S'
    """
    cells = fen.partition(" ")[0]
    for blanks, run in _RUNS:
        cells = cells.replace(run, blanks)
    return cells.replace("/", "").encode()


def read_counts(text: str, letters: str, field: str) -> list[int]:
    """The counts in a field such as `I9A3Ci2`, one for each of `letters` in their order.

    A count follows its letter where it is more than one; `-` means none at all.

    >>> read_counts("I9Ai", "IAia", "hand")
    [9, 1, 1, 0]
    """
    if text == "-":
        return [0] * len(letters)
    pattern = "".join(f"(?:{letter}([2-9]|[1-9][0-9])?)?" for letter in letters)
    match = re.fullmatch(pattern, text)
    if not text or match is None:
        raise BadFen(
            field,
            phrase(
                "{text} is not a list of {letters} with counts above one",
                text=quote_text(text),
                letters=letters,
            ),
        )
    counts: list[int] = []
    at = 0
    for index, letter in enumerate(letters, 1):
        if at < len(text) and text[at] == letter:
            digits = match.group(index) or ""
            counts.append(int(digits or 1))
            at += 1 + len(digits)
        else:
            counts.append(0)
    return counts


@lru_cache(maxsize=1 << 12)
def write_counts(counts: tuple[int, ...], letters: str) -> str:
    """The field that `read_counts` turns back into these counts.

    >>> write_counts((9, 1, 1, 0), "IAia")
    'I9Ai'
    """
    parts = [
        letter + (str(count) if count > 1 else "")
        for letter, count in zip(letters, counts, strict=True)
        if count
    ]
    return "".join(parts) or "-"


def write_material(letters: str) -> str:
    """The letters in order without repetition, each followed by its count if that is above one.

    >>> write_material("rQkQ")
    'Q2kr'
    """
    return _write_sorted_material("".join(sorted(letters)))


# It is mostly the same from one position to the next.
@lru_cache(maxsize=1 << 14)
def _write_sorted_material(letters: str) -> str:
    counted = Counter(letters)
    return write_counts(tuple(counted.values()), "".join(counted))


def read_number(text: str, field: str, least: int = 0) -> int:
    """A whole number of at most nine digits without leading zeros, not below `least`."""
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise BadFen(
            field,
            phrase("{text} is not a whole number from {least}", text=quote_text(text), least=least),
        )
    return int(text)


def read_points(text: str, field: str = "points") -> tuple[int, int]:
    """Points as `first-second`.

    >>> read_points("11-7")
    (11, 7)
    """
    first, dash, second = text.partition("-")
    if not dash:
        raise BadFen(
            field, phrase("{text} is not two numbers joined by '-'", text=quote_text(text))
        )
    return read_number(first, field), read_number(second, field)


def read_choice(text: str, field: str, choices: Sequence[str]) -> int:
    """The index in `choices` of a field's text (`read_choice("n", "side", "sn")` is 1)."""
    if len(text) > _SHOWN or text not in tuple(choices):
        raise BadFen(
            field,
            phrase(
                "{text} is not one of {choices}", text=quote_text(text), choices=", ".join(choices)
            ),
        )
    return tuple(choices).index(text)


def tagged_fen(tags: Mapping[str, str]) -> str | None:
    """The FEN that a game's tags set up, None for the usual start; BadFen for `SetUp` alone."""
    fen = tags.get("FEN")
    if fen is None and tags.get("SetUp") == "1":
        raise BadFen("SetUp", "says that the game is set up, but there is no FEN tag")
    return fen
