"""Tokens of a record's text (PGN standard, 7, with the rules page's three extensions).

Each character is looked at a bounded number of times: no pattern backtracks, and a text that cannot
be read is one token to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Final, TypeAlias


class TokenKind(StrEnum):
    """What a token is; the values name the groups of the pattern."""

    RESULT = "result"
    SYMBOL = "symbol"
    SYMBOLS = "symbols"  # several in a row, each with its move number if it has one
    NUMBER = "number"
    SUFFIX = "suffix"
    COMMENT = "comment"
    GLYPH = "glyph"
    OPEN = "open"
    CLOSE = "close"
    TAG = "tag"  # with the groups `name` and `value`, the latter as written
    LINE_COMMENT = "line"
    ESCAPE = "escape"
    BAD = "bad"


Token: TypeAlias = re.Match[str]
"""A token: `lastgroup` is its TokenKind, and the group of that name its text and place.

It is the pattern's own match, since a game has too many tokens to make two objects of each.
"""

MAX_SYMBOL: Final = 255
"""The longest symbol (PGN standard, 7)."""

_BLANK: Final = r"[ \t\r\n\f\v]*+"
_SYMBOL: Final = r"A-Za-z0-9_+#=:@&\-"
# A move number directly before an action adds nothing to it.
_TOKENS: Final = rf"""
      (?P<result> \* | (?:1-0|0-1|1/2(?:-1/2)?+) (?![{_SYMBOL}/]) )
    | (?: [0-9]++ \.++ {_BLANK} (?=[A-Za-z]) )?+
      (?P<symbol> (?! [0-9]++ (?: \. | (?![{_SYMBOL}]) ) ) [{_SYMBOL}]++ )
    | (?P<number> [0-9]++ \.*+ | \.++ )
    | (?P<suffix> [!?]++ )
    | (?P<comment> \{{ [^}}]*+ \}} )
    | (?P<glyph> \$ [0-9]++ )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<tag> \[ {_BLANK} (?P<name> [A-Za-z0-9_]++ ) {_BLANK}
               " (?P<value> (?: [^"\\\n] | \\[^\n] )*+ ) " {_BLANK} \] )
    | (?P<line> ; [^\n]*+ )
    | (?P<escape> ^% [^\n]*+ )
    | (?P<bad> [^ \t\r\n\f\v] ) (?s:.*+)
    """
# Symbols that begin with a letter, and so are not results; a longer one ends the row.
_ROW: Final = rf"""
      (?P<symbols> (?:
          (?: [0-9]++ \.++ {_BLANK} )?+
          [A-Za-z][{_SYMBOL}]{{0,{MAX_SYMBOL - 1}}}+ (?![{_SYMBOL}]) {_BLANK}
      ){{2,}}+ )
    """
_FLAGS: Final = re.VERBOSE | re.MULTILINE
_PATTERN: Final = re.compile(f"(?:{_TOKENS}){_BLANK}", _FLAGS)
_WITH_ROWS: Final = re.compile(f"(?:{_ROW}|{_TOKENS}){_BLANK}", _FLAGS)
_IN_ROW: Final = re.compile(rf"[A-Za-z][{_SYMBOL}]*+")
_START: Final = re.compile(_BLANK)


def split_tokens(text: str) -> Iterator[Token]:
    """The tokens of a text in order; a token of kind BAD is the last.

    A move number directly before an action is not a token.

    >>> [(token.lastgroup, token[token.lastgroup]) for token in split_tokens("1. Pd2! *")]
    [('symbol', 'Pd2'), ('suffix', '!'), ('result', '*')]
    """
    start = _START.match(text)
    return _PATTERN.finditer(text, start.end() if start else 0)


def split_rows(text: str) -> Iterator[Token]:
    """As `split_tokens`, but consecutive symbols that begin with letters are one token.

    >>> [(token.lastgroup, token[token.lastgroup]) for token in split_rows("1. Pd2 Pa7 2. Pd1! *")]
    [('symbols', '1. Pd2 Pa7 2. Pd1'), ('suffix', '!'), ('result', '*')]
    """
    start = _START.match(text)
    return _WITH_ROWS.finditer(text, start.end() if start else 0)


def list_symbols(row: str) -> list[str]:
    """The symbols of a token of kind SYMBOLS.

    >>> list_symbols("Pd2 Pa7 2. Pd1")
    ['Pd2', 'Pa7', 'Pd1']
    """
    return _IN_ROW.findall(row)


def find_symbol(text: str, start: int, index: int) -> int:
    """The offset in a text of symbol `index`, from 0, in the row that begins at `start`.

    >>> find_symbol("1. Pd2 Pa7 2. Pd1! *", 0, 2)
    14
    """
    return next(islice(_IN_ROW.finditer(text, start), index, None)).start()
