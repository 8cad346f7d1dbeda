"""A record as written: tag pairs and movetext, read without knowing any game's rules.

Leniencies, beyond the export format:
- any white space; tag pairs in any order, several on a line, any of them missing;
- move numbers anywhere or nowhere, with any dots (`12.`, `12...`, `12`, `12. ...`), unchecked;
- `!`, `?` and any run of them directly after an action or apart from it, read as glyphs (`!!!` as
  `!!`); glyphs after an action's variations;
- a half `1/2` for `1/2-1/2`;
- comments in braces, or from `;` to the end of the line (where `}` is read as `)`, which braces
  can hold); before the tags, after the result, or empty; white space in them counts as one space;
- a backslash in a tag value that escapes nothing stands for itself;
- `%` lines between tokens are passed over.

Not accepted: two tags of one name; a symbol of more than 255 characters; a glyph or a variation
before its line's first action; a glyph above `$255`; a variation that has no action, holds a
result or is nested more than 100 deep.

A comment belongs to the action before it or, if it comes after a move number or a variation, to the
action that follows, if its line has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Never

from engine.phrase import phrase
from notation.annotation import check_glyph, check_tag, clean_comment
from notation.errors import BadAnnotation, RecordError
from notation.game import MAX_NESTING, UNFINISHED
from notation.lexer import MAX_SYMBOL, Token, TokenKind, find_symbol, list_symbols, split_rows
from notation.section import Section
from notation.written_line import WrittenLine

SUFFIXES: Final = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
"""The glyphs that the traditional suffixes stand for (PGN standard, 8.2.3.8)."""

_ESCAPED: Final = re.compile(r'\\(["\\])')
_SYMBOL: Final = TokenKind.SYMBOL.value  # the kinds that are used outside the table
_SYMBOLS: Final = TokenKind.SYMBOLS.value
_RESULT: Final = TokenKind.RESULT.value
_COMMENTS: Final = (TokenKind.COMMENT, TokenKind.LINE_COMMENT)
_COMPLAINTS: Final = {
    "{": "a comment that is never closed",
    "}": "a brace that closes no comment",
    "[": "a damaged tag pair",
    '"': "a string outside a tag pair",
    "$": "a glyph without its number",
}


@dataclass(frozen=True, slots=True)
class Record:
    """One game as written. `places` are the offsets of the tag pairs in the section's text."""

    section: Section
    tags: Mapping[str, str]
    places: Mapping[str, int]
    line: WrittenLine
    result: str


def read_records(section: Section) -> Iterator[Record | RecordError]:
    """The records of a section: none, or a game, each with an error for rubbish that follows.

    A RecordError stands for a game or a stretch of rubbish that cannot be read.
    """
    if section.oversize:
        reason = phrase(
            "the game takes more than {limit} bytes, the most that is read of one",
            limit=section.limit,
        )
        yield RecordError("too-large", reason, line=section.line)
        return
    reading = _Reading(section)
    try:
        result = reading.movetext() if section.tagged else None
    except RecordError as error:
        yield error
        return
    rubbish = reading.rest()
    if result is not None:
        yield reading.record(result)
    if rubbish is not None:
        yield rubbish


def read_variation(text: str) -> Record:
    """One variation as written, without its parentheses, as a record of nothing else.

    Raises RecordError for anything that cannot be read, such as a result or a tag pair.
    """
    section = Section(text, line=1, start=0, end=len(text), tagged=False, oversize=False)
    line = _Reading(section).variation()
    return Record(section, {}, {}, line, UNFINISHED)


class _Reading:
    """The reading of one section."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._tokens = split_rows(section.text)
        self._tags: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._line = WrittenLine(section.text)
        self._outer: list[tuple[WrittenLine, Token]] = []
        """The lines that contain the open variations, with their parentheses."""
        self._waits = True
        """Whether a comment here would wait for the line's next action."""
        self._numbered = False

    def movetext(self) -> str:
        """Read up to the result and return it; raises RecordError."""
        result = self._read_line()
        if result is None:
            raise RecordError("no-result", "the record ends without a result")
        return result

    def variation(self) -> WrittenLine:
        """Read a whole text as one variation; raises RecordError."""
        result = self._read_line()
        if result is not None:
            raise RecordError(
                "syntax",
                phrase("a result ({result}) inside a variation", result=result),
                token=result,
            )
        if self._tags:
            raise RecordError("syntax", "a tag pair inside a variation")
        if not self._line.tokens:
            raise RecordError("syntax", "a variation without an action")
        self._line.end()
        return self._line

    def _read_line(self) -> str | None:
        """Read up to a result and return it, None where there is none; raises RecordError."""
        for token in self._tokens:
            kind = token.lastgroup
            if kind == _SYMBOLS:
                start = find_symbol(self._section.text, token.start(), 0)
                self._line.add(list_symbols(token[_SYMBOLS]), start)
                self._waits = False
            elif kind == _SYMBOL:
                text = token[_SYMBOL]
                if len(text) > MAX_SYMBOL:
                    self._fail(token, f"a symbol of more than {MAX_SYMBOL} characters")
                self._line.add((text,), token.start(_SYMBOL))
                self._waits = False
            elif kind == _RESULT:
                self._check_closed()
                return "1/2-1/2" if token[_RESULT] == "1/2" else token[_RESULT]
            else:
                _READERS[kind](self, token)
        self._check_closed()
        return None

    def rest(self) -> RecordError | None:
        """Read what follows the result; return an error for anything but comments, else None."""
        try:
            for token in self._tokens:
                if token.lastgroup in _COMMENTS:
                    self._comment(token)
                elif token.lastgroup != TokenKind.ESCAPE:
                    self._fail(token, "text that belongs to no game")
        except RecordError as error:
            return error
        return None

    def record(self, result: str) -> Record:
        """The game that has been read."""
        self._line.end()
        return Record(self._section, self._tags, self._places, self._line, result)

    def _check_closed(self) -> None:
        if self._outer:
            _, opening = self._outer[0]
            self._fail(opening, "a variation that is never closed")

    def _tag(self, token: Token) -> None:
        if self._line.tokens or self._outer or self._numbered:
            self._fail(token, "a tag pair inside the movetext")
        name, value = token["name"], token["value"]
        if "\\" in value:
            value = _ESCAPED.sub(r"\1", value)
        if name in self._tags:
            self._fail(token, f"a second tag {name}")
        try:
            check_tag(name, value)
        except BadAnnotation as why:
            self._fail(token, str(why))
        self._tags[name] = value
        self._places[name] = token.start()

    def _number(self, token: Token) -> None:
        self._waits = self._numbered = True

    def _comment(self, token: Token) -> None:
        if token.lastgroup == TokenKind.LINE_COMMENT:
            text = token[TokenKind.LINE_COMMENT][1:].replace("}", ")")
        else:
            text = token[TokenKind.COMMENT][1:-1]
        if not text.strip(" \t\r\n\f\v"):
            return
        try:
            comment = clean_comment(text)
        except BadAnnotation as why:
            self._fail(token, str(why))
        if self._waits:
            self._line.comments.append(comment)
        else:
            self._line.beside_last().after.append(comment)

    def _glyph(self, token: Token) -> None:
        if not self._line.tokens:
            self._fail(token, "a glyph before the first action")
        try:
            self._line.beside_last().nags.append(_nag(_text(token)))
        except BadAnnotation as why:
            self._fail(token, str(why))

    def _open(self, token: Token) -> None:
        if not self._line.tokens:
            self._fail(token, "a variation before the first action")
        if len(self._outer) == MAX_NESTING:
            self._fail(token, f"variations nested more than {MAX_NESTING} deep")
        self._outer.append((self._line, token))
        self._line = WrittenLine(self._section.text)
        self._waits = True

    def _close(self, token: Token) -> None:
        if not self._outer:
            self._fail(token, "a parenthesis that closes no variation")
        variation = self._line
        self._line, opening = self._outer.pop()
        if not variation.tokens:
            self._fail(opening, "a variation without an action")
        variation.end()
        self._line.beside_last().variations.append(variation)
        self._waits = True

    def _escape(self, token: Token) -> None:
        """Skip an escape line."""

    def _bad(self, token: Token) -> None:
        character = token[TokenKind.BAD]
        self._fail(token, _COMPLAINTS.get(character, f"the character {character!r}"))

    def _fail(self, token: Token, reason: str) -> Never:
        line, column = self._section.where(token.start(token.lastgroup or 0))
        raise RecordError("syntax", reason, line=line, column=column, token=_text(token)[:40])


_READERS: Final[Mapping[str | None, Callable[[_Reading, Token], None]]] = {
    TokenKind.TAG: _Reading._tag,
    TokenKind.NUMBER: _Reading._number,
    TokenKind.COMMENT: _Reading._comment,
    TokenKind.LINE_COMMENT: _Reading._comment,
    TokenKind.GLYPH: _Reading._glyph,
    TokenKind.SUFFIX: _Reading._glyph,
    TokenKind.OPEN: _Reading._open,
    TokenKind.CLOSE: _Reading._close,
    TokenKind.ESCAPE: _Reading._escape,
    TokenKind.BAD: _Reading._bad,
}


def _text(token: Token) -> str:
    return token[token.lastgroup or 0]


def _nag(text: str) -> int:
    """The number of a glyph, written as one or as a suffix; raises BadAnnotation."""
    if not text.startswith("$"):
        other = text[1:].replace(text[0], "")
        return SUFFIXES[text[0] + other[:1] if other else text[:2]]
    nag = int(text[1:].lstrip("0")[:4] or "0")
    check_glyph(nag)
    return nag
