"""Reads a table of openings from a file, and checks every line of it.

The file is UTF-8. Its first line has the column names: `variant`, `name`, `actions`, and `code` if
there are codes, in any order, separated by tabs or commas (TSV, or CSV with its quotes). Actions
are written in either form, separated by blanks; move numbers are ignored.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

from engine.errors import UnknownVariant
from engine.registry import VARIANTS, find_variant
from notation.errors import TokenError
from notation.registry import find_dialect
from service.openings.errors import BadLine, BadOpenings, NotOpenings
from service.openings.values import Opening, fold_name

NEEDED: Final = ("variant", "name", "actions")
COLUMNS: Final = (*NEEDED, "code")
LARGEST: Final = 1 << 24
"""The most bytes of a file."""
MOST: Final = 20_000
"""The most openings in a table."""
LONGEST_NAME: Final = 200
LONGEST_CODE: Final = 20
LONGEST_LINE: Final = 100
"""The most actions of an opening."""
SHOWN: Final = 20
"""The number of wrong lines after which reading stops."""
_NUMBER: Final = re.compile(r"[0-9]+\.+")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")

Row = Mapping[str, str]


def read_openings(data: bytes) -> list[Opening]:
    """The openings in a file; raises NotOpenings, or BadOpenings with the lines at fault."""
    checked = _Checked()
    for line, row in iterate_rows(data):
        if isinstance(row, str):
            checked.bad.append(BadLine(line, row))
        else:
            checked.add(line, row)
        if len(checked.bad) >= SHOWN:
            break
        if len(checked.openings) > MOST:
            raise NotOpenings(f"it has more than {MOST:,} openings")
    if checked.bad:
        raise BadOpenings(tuple(checked.bad))
    if not checked.openings:
        raise NotOpenings("it names no opening; to remove the table, clear it")
    return checked.openings


def iterate_rows(data: bytes) -> Iterator[tuple[int, Row | str]]:
    """The rows after the line of column names, each with the number of its last line.

    A row with the wrong number of fields is given as a text that says so. Raises NotOpenings.
    """
    if len(data) > LARGEST:
        raise NotOpenings(f"it is larger than {LARGEST:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotOpenings(f"byte {error.start} is not UTF-8") from None
    head, _, _ = text.partition("\n")
    tabs = "\t" in head
    lines = StringIO(text, newline="")
    if tabs:
        reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
    else:
        reader = csv.reader(lines, strict=True)
    try:
        columns = [name.strip().casefold() for name in next(reader, [])]
        check_columns(columns)
        for fields in reader:
            if not any(map(str.strip, fields)):
                continue
            if len(fields) != len(columns):
                yield reader.line_num, f"{len(fields)} fields for {len(columns)} columns"
                continue
            yield reader.line_num, dict(zip(columns, map(str.strip, fields), strict=True))
    except csv.Error as error:
        raise NotOpenings(f"line {reader.line_num}: {error}") from None


def check_columns(columns: Iterable[str]) -> None:
    """Raise NotOpenings for column names that are not those of a table of openings."""
    found = list(columns)
    missing = [name for name in NEEDED if name not in found]
    if missing or len(set(found)) != len(found) or set(found) - set(COLUMNS):
        raise NotOpenings(
            f"its first line must name the columns {', '.join(NEEDED)} and, if wanted, code, each"
            " once, with tabs or commas between"
        )


def parse_opening(row: Row) -> Opening:
    """The opening in a row; raises ValueError, which says what was expected."""
    name, code = row["name"], row.get("code") or None
    _check_text("name", name, LONGEST_NAME)
    if code is not None:
        _check_text("code", code, LONGEST_CODE)
    try:
        variant = find_variant(row["variant"]).name
    except UnknownVariant:
        known = ", ".join(VARIANTS)
        raise ValueError(f"no variant {row['variant']!r}; the variants are {known}") from None
    tokens = [token for token in row["actions"].split() if not _NUMBER.fullmatch(token)]
    if not 0 < len(tokens) <= LONGEST_LINE:
        raise ValueError(f"{len(tokens)} actions; an opening has 1 to {LONGEST_LINE}")
    return Opening(variant, name, tuple(_resolve(variant, tokens)), code)


@dataclass(slots=True)
class _Checked:
    """The openings read so far, the lines that named them, and the wrong lines."""

    openings: list[Opening] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    names: dict[tuple[str, str], int] = field(default_factory=dict)
    positions: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, line: int, row: Row) -> None:
        """Add an opening, or note what is wrong with its line."""
        try:
            opening = parse_opening(row)
        except ValueError as error:
            self.bad.append(BadLine(line, str(error)))
            return
        texts = find_dialect(opening.variant)
        position = texts.position_key(texts.write_fen(opening.position()))
        for known, thing, what in (
            (self.names, fold_name(opening.name), "name"),
            (self.positions, position, "position"),
        ):
            earlier = known.setdefault((opening.variant, thing), line)
            if earlier != line:
                self.bad.append(BadLine(line, f"line {earlier} already has this {what}"))
                return
        self.openings.append(opening)


def _check_text(column: str, text: str, longest: int) -> None:
    if not text or len(text) > longest or _UNPRINTABLE.search(text):
        raise ValueError(f"{column}: 1 to {longest} printable characters")


def _resolve(variant: str, tokens: Iterable[str]) -> Iterator[str]:
    texts = find_dialect(variant)
    position = texts.start({})
    for count, token in enumerate(tokens, 1):
        try:
            action = texts.resolve(position, token)
        except TokenError as error:
            raise ValueError(f"action {count}: {error}") from None
        yield texts.coordinate(action)
        position.play(action)
