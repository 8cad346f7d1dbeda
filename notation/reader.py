"""Records read from a stream, with one verdict for each game.

Reading has three steps: `section` cuts the stream into games by its lines, `record` reads one as
written, and `judge` checks it against the rules and plays its lines by `replay`. The leniencies
are listed at the top of the first two and of each game's own module. The `Variant` tag may hold the
rule book's title of the game (`notation.registry.find_dialect_titled`); the game that is returned
has the variant's name.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from notation.errors import RecordError
from notation.game import Game
from notation.judge import judge
from notation.record import Record, read_records
from notation.section import DEFAULT_LIMIT, Stream, split_sections


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What was read of one game of a stream.

    `number` counts from 1. `start` and `end` are the range of the game's section in the stream, in
    bytes (in characters for a text stream); `line` is the section's first line, from 1. As a
    string it is `number ok` or `number quarantined code line ply`, with `-` for anything that does
    not apply.
    """

    number: int
    start: int
    end: int
    line: int
    content: Game | RecordError

    @property
    def error(self) -> RecordError | None:
        """What is wrong with the game, if anything."""
        return self.content if isinstance(self.content, RecordError) else None

    @property
    def game(self) -> Game:
        """The game; raises its RecordError where there is none."""
        if isinstance(self.content, RecordError):
            raise self.content
        return self.content

    def __str__(self) -> str:
        error = self.error
        if error is None:
            return f"{self.number} ok"
        return f"{self.number} quarantined {error.code} {error.line or '-'} {error.ply or '-'}"


def read(stream: Stream, *, limit: int = DEFAULT_LIMIT) -> Iterator[ReadResult]:
    """Read the games of a stream in order, holding one at a time.

    `limit` is the size of the largest game, in bytes (characters of a text stream); a larger one
    is `too-large`. Nothing in the stream raises: the error of a game is its verdict, and the games
    around it are read all the same.
    """
    number = 0
    for section in split_sections(stream, limit):
        for record in read_records(section):
            number += 1
            content = record if isinstance(record, RecordError) else _judge_or_refuse(record)
            yield ReadResult(number, section.start, section.end, section.line, content)


def read_game(text: str, *, limit: int | None = None, reopened: bool = False) -> Game:
    """The one game in a text; raises RecordError for a bad one, for none and for several.

    `limit` is the size of the largest game in characters, None for any size; `reopened` is as in
    `notation.judge.judge`.
    """
    return judge(read_record(text, limit=limit), reopened=reopened)


def read_record(text: str, *, limit: int | None = None) -> Record:
    """The one game in a text as written, not judged; raises RecordError as `read_game` does."""
    cut = split_sections(io.StringIO(text), len(text) if limit is None else limit)
    found = ((record, section.line) for section in cut for record in read_records(section))
    record, _ = next(found, (None, 0))
    if record is None:
        raise RecordError("syntax", "the text holds no game")
    if isinstance(record, RecordError):
        raise record
    for _, line in found:
        raise RecordError("syntax", "the text holds more than one game", line=line)
    return record


def _judge_or_refuse(record: Record) -> Game | RecordError:
    try:
        return judge(record)
    except RecordError as error:
        return error
