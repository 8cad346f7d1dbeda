"""Tokens of a record's text (PGN standard, 7, with the rules page's three extensions).

Each character is looked at a bounded number of times: no pattern gives back what it has taken,
and a text that cannot be read ends the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """What a token is; the values name the groups of the pattern."""

    TAG = "tag"
    SYMBOL = "symbol"
    NUMBER = "number"
    RESULT = "result"
    GLYPH = "glyph"
    SUFFIX = "suffix"
    COMMENT = "comment"
    LINE_COMMENT = "line"
    ESCAPE = "escape"
    OPEN = "open"
    CLOSE = "close"
    BAD = "bad"


class Token(NamedTuple):
    """A token: its kind, its text as written, its place in the text from 0."""

    kind: Kind
    text: str
    offset: int


MAX_SYMBOL: Final = 255
"""The longest symbol (PGN standard, 7)."""

_BLANK: Final = r"[ \t\r\n\f\v]*+"
_SYMBOL: Final = r"A-Za-z0-9_+#=:@&\-"
_PATTERN: Final = re.compile(
    rf"""(?:
      (?P<result> \* | (?:1-0|0-1|1/2(?:-1/2)?+) (?![{_SYMBOL}/]) )
    | (?P<number> [0-9]++ (?: \.++ | (?![{_SYMBOL}]) ) | \.++ )
    | (?P<symbol> [{_SYMBOL}]++ )
    | (?P<suffix> [!?]++ )
    | (?P<comment> \{{ [^}}]*+ \}} )
    | (?P<glyph> \$ [0-9]++ )
    | (?P<tag> \[ {_BLANK} [A-Za-z0-9_]++ {_BLANK} " (?: [^"\\\n] | \\[^\n] )*+ " {_BLANK} \] )
    | (?P<line> ; [^\n]*+ )
    | (?P<escape> ^% [^\n]*+ )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<bad> [^ \t\r\n\f\v] )
    ){_BLANK}""",
    re.VERBOSE | re.MULTILINE,
)
_START: Final = re.compile(_BLANK)
_KINDS: Final = {kind.value: kind for kind in Kind}


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text in order; the first one of kind BAD is the last."""
    start = _START.match(text)
    kinds = _KINDS
    for match in _PATTERN.finditer(text, start.end() if start else 0):
        name = match.lastgroup or "bad"
        token = Token(kinds[name], match.group(name), match.start())
        yield token
        if token.kind is Kind.BAD:
            return
