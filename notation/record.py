"""A record as written: tag pairs and movetext, read without knowing any game's rules.

Leniencies, beyond the export format:
- any white space, tag pairs in any order, several on a line, any of them missing;
- move numbers anywhere or nowhere, with any dots (`12.`, `12...`, `12`, `12. ...`), unchecked;
- `!`, `?` and any run of them behind an action or apart from it, read as glyphs (`!!!` as `!!`);
- a half `1/2` for `1/2-1/2`;
- comments in braces, or from `;` to the end of the line (where `}` is read as `)`, which braces
  can hold), before the tags, behind the result, empty; white space in them counts as one space;
- a backslash in a tag value that escapes nothing stands for itself;
- `%` lines between tokens are passed over.

Not accepted: two tags of one name; a symbol of more than 255 characters; a glyph before the first
action or above `$255`. Variations are recognised and refused (`unsupported-variation`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Never

from notation.annotation import check_glyph, check_tag, clean_comment
from notation.errors import BadAnnotation, RecordError
from notation.lexer import MAX_SYMBOL, Kind, Token, tokens
from notation.section import Section

SUFFIXES: Final = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
"""The glyphs that the traditional suffixes stand for (PGN standard, 8.2.3.8)."""

_ESCAPED: Final = re.compile(r'\\(["\\])')
_SYMBOL: Final = Kind.SYMBOL  # the two of every move, looked up once
_NUMBER: Final = Kind.NUMBER
_COMMENTS: Final = (Kind.COMMENT, Kind.LINE_COMMENT)
_COMPLAINTS: Final = {
    "{": "a comment that is never closed",
    "}": "a brace that closes no comment",
    "[": "a damaged tag pair",
    '"': "a string outside a tag pair",
    "$": "a glyph without its number",
}


class WrittenMove(NamedTuple):
    """An action's token, where it stands in the section's text, and what stands beside it."""

    token: str
    offset: int
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One game as written. `places` are the offsets of the tag pairs in the section's text."""

    section: Section
    tags: Mapping[str, str]
    places: Mapping[str, int]
    moves: tuple[WrittenMove, ...]
    result: str
    comments: tuple[str, ...]


def records(section: Section) -> Iterator[Record | RecordError]:
    """What a section holds: nothing but comments, a game, a game with rubbish behind it, rubbish.

    A RecordError stands for a game or a stretch of rubbish that cannot be read.
    """
    if section.oversize:
        yield RecordError("too-large", "the game is larger than the limit", line=section.line)
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


class _Move:
    """A move in the making."""

    __slots__ = ("after", "before", "nags", "token")

    def __init__(self, token: Token, before: list[str]) -> None:
        self.token = token
        self.before = before
        self.nags: list[int] = []
        self.after: list[str] = []

    def written(self) -> WrittenMove:
        """The finished value."""
        _, text, offset = self.token
        return WrittenMove(text, offset, tuple(self.nags), tuple(self.before), tuple(self.after))


class _Reading:
    """The reading of one section."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._tokens = tokens(section.text)
        self._tags: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._moves: list[_Move] = []
        self._comments: list[str] = []
        self._numbered = False
        self._variation: Token | None = None

    def movetext(self) -> str:
        """Read up to the result and return it; raises RecordError."""
        for token in self._tokens:
            kind = token.kind
            if kind is _SYMBOL:
                self._symbol(token)
            elif kind is _NUMBER:
                self._numbered = True
            elif kind is Kind.RESULT:
                return "1/2-1/2" if token.text == "1/2" else token.text
            elif kind is Kind.TAG:
                self._tag(token)
            elif kind in _COMMENTS:
                self._comment(token)
            elif kind is Kind.GLYPH or kind is Kind.SUFFIX:
                self._glyph(token)
            elif kind is Kind.OPEN:
                self._variation = self._variation or token
                self._skip_variation(token)
            elif kind is not Kind.ESCAPE:
                self._refuse(token)
        raise RecordError("no-result", "the record ends without a result")

    def rest(self) -> RecordError | None:
        """Read what follows the result; whatever is no comment is an error."""
        self._numbered = False
        try:
            for token in self._tokens:
                if token.kind in _COMMENTS:
                    self._comment(token)
                elif token.kind is not Kind.ESCAPE:
                    self._fail(token, "text that belongs to no game")
        except RecordError as error:
            return error
        return None

    def record(self, result: str) -> Record | RecordError:
        """The game that has been read."""
        if self._variation is not None:
            line, column = self._section.where(self._variation.offset)
            reason = "the record has variations, which are not supported yet"
            return RecordError("unsupported-variation", reason, line=line, column=column, token="(")
        if self._moves:
            self._moves[-1].after += self._comments
            self._comments = []
        return Record(
            self._section,
            self._tags,
            self._places,
            tuple([move.written() for move in self._moves]),
            result,
            tuple(self._comments),
        )

    def _symbol(self, token: Token) -> None:
        if len(token.text) > MAX_SYMBOL:
            self._fail(token, f"a symbol of more than {MAX_SYMBOL} characters")
        self._moves.append(_Move(token, self._comments))
        self._comments = []
        self._numbered = False

    def _tag(self, token: Token) -> None:
        if self._moves or self._numbered:
            self._fail(token, "a tag pair inside the movetext")
        name, _, quoted = token.text[1:].partition('"')
        name = name.strip()
        value = _ESCAPED.sub(r"\1", quoted[: quoted.rindex('"')])
        if name in self._tags:
            self._fail(token, f"a second tag {name}")
        try:
            check_tag(name, value)
        except BadAnnotation as why:
            self._fail(token, str(why))
        self._tags[name] = value
        self._places[name] = token.offset

    def _comment(self, token: Token) -> None:
        if token.kind is Kind.LINE_COMMENT:
            text = token.text[1:].replace("}", ")")
        else:
            text = token.text[1:-1]
        if not text.strip(" \t\r\n\f\v"):
            return
        try:
            comment = clean_comment(text)
        except BadAnnotation as why:
            self._fail(token, str(why))
        if self._numbered or not self._moves:
            self._comments.append(comment)
        else:
            self._moves[-1].after.append(comment)

    def _glyph(self, token: Token) -> None:
        if not self._moves:
            self._fail(token, "a glyph before the first action")
        try:
            self._moves[-1].nags.append(_nag(token.text))
        except BadAnnotation as why:
            self._fail(token, str(why))

    def _skip_variation(self, opening: Token) -> None:
        depth = 1
        for token in self._tokens:
            if token.kind is Kind.OPEN:
                depth += 1
            elif token.kind is Kind.CLOSE:
                depth -= 1
                if not depth:
                    return
            elif token.kind in (Kind.BAD, Kind.TAG):
                self._refuse(token)
        self._fail(opening, "a variation that is never closed")

    def _refuse(self, token: Token) -> Never:
        if token.kind is Kind.CLOSE:
            self._fail(token, "a parenthesis that closes no variation")
        if token.kind is Kind.TAG:
            self._fail(token, "a tag pair inside a variation")
        self._fail(token, _COMPLAINTS.get(token.text, f"the character {token.text!r}"))

    def _fail(self, token: Token, reason: str) -> Never:
        line, column = self._section.where(token.offset)
        raise RecordError("syntax", reason, line=line, column=column, token=token.text[:40])


def _nag(text: str) -> int:
    """The number of a glyph, written as one or as a suffix; raises BadAnnotation."""
    if not text.startswith("$"):
        other = text[1:].replace(text[0], "")
        return SUFFIXES[text[0] + other[:1] if other else text[:2]]
    nag = int(text[1:].lstrip("0")[:4] or "0")
    check_glyph(nag)
    return nag
