"""From the sections of a file to checked records: all the work of an import that needs no store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from engine.phrase import phrase
from notation.errors import BadAnnotation, RecordError
from notation.game import Game
from notation.judge import judge
from notation.listener import PositionListener
from notation.movetext import Movetext
from notation.record import Record, read_records
from notation.section import DEFAULT_LIMIT, Section
from service.errors import BadValue
from service.game.commands import ImportRecord
from service.game.fingerprint import essence, find_content, identity
from service.game.importing import GAME_TAG, import_command, players_in
from service.game.variations import MAX_ACTIONS
from service.ids import ID
from service.player.names.recorded import check_recorded_name

UNREADABLE: Final = frozenset({"syntax", "too-large"})
"""The codes of text that is not a record at all, and so was not played."""
MAX_TEXT: Final = DEFAULT_LIMIT - (1 << 14)
"""The largest text of a record as the service writes it, in bytes.

It is smaller than the largest record that is read by more than what an export adds, so that an
exported record can be imported again.
"""


class PositionIndexer(PositionListener, Protocol):
    """Computes something from the positions of a game while it is replayed."""

    def finish(self) -> Any:
        """The result for all positions: a value that can be pickled."""


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """Where a record is: its section's byte range in the unpacked file, and its first line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The id of the game from which a record says it was exported, and the record's whole text.

    Only a valid signature in the text proves it.
    """

    game: str
    text: str


@dataclass(frozen=True, slots=True)
class ValidRecord:
    """A legal record, as the command that imports it, but with its players' names for ids.

    `identity` tells the game from others, `essence` is a digest of all that the record says.
    `claim` is what it says of its export, None if it says nothing. `indexed` is the result of a
    PositionIndexer for its positions, None without one.
    """

    location: RecordLocation
    command: ImportRecord
    names: tuple[str | None, str | None]
    identity: tuple[str, ...]
    essence: str
    claim: Claim | None
    indexed: Any = None


@dataclass(frozen=True, slots=True)
class InvalidRecord:
    """A record that cannot be imported: its error as a JSON object, and its `text` unchanged."""

    location: RecordLocation
    error: dict[str, Any]
    text: str

    @property
    def was_played(self) -> bool:
        """Whether it can be read as a game, although that game is not legal."""
        return self.error["code"] not in UNREADABLE


ParsedRecord = ValidRecord | InvalidRecord


def parse_sections(
    sections: Sequence[Section], listen: Callable[[], PositionIndexer] | None = None
) -> list[ParsedRecord]:
    """Read and judge the records in some sections, in order.

    `listen` makes a listener for the positions of a record. Raises nothing, whatever the file
    contains: what is wrong with a record is in an InvalidRecord.
    """
    return [
        _parse_record(record, section, None if listen is None else listen())
        for section in sections
        for record in read_records(section)
    ]


def _parse_record(
    record: Record | RecordError, section: Section, listener: PositionIndexer | None
) -> ParsedRecord:
    location = RecordLocation(section.start, section.end, section.line)
    try:
        if isinstance(record, RecordError):
            raise record
        if record.line.count_actions() > MAX_ACTIONS:
            reason = phrase(
                "the game has more than {most} actions, with those of variations", most=MAX_ACTIONS
            )
            raise RecordError("too-large", reason, line=section.line)
        text = Movetext()
        game = judge(record, text, positions=listener)
        valid = _check_game(game, text.text(game.result), section, location)
        return valid if listener is None else replace(valid, indexed=listener.finish())
    except RecordError as error:
        error_view = {
            "code": error.code,
            "detail": error.reason,
            "line": error.line,
            "column": error.column,
            "ply": error.ply,
            "token": error.token,
            "nearest": list(error.nearest),
        }
        return InvalidRecord(location, error_view, section.text)
    except (BadValue, BadAnnotation) as error:
        return InvalidRecord(location, {"code": error.code, "detail": str(error)}, section.text)


def _check_game(
    game: Game, movetext: str, section: Section, location: RecordLocation
) -> ValidRecord:
    """The record of a legal game; raises BadValue, BadAnnotation or RecordError for another."""
    names = players_in(game)
    for name in names:
        if name is not None:
            check_recorded_name(name)
    command = import_command(game, None, None, movetext)
    if len(find_content(command.text, command.tags).encode()) > MAX_TEXT:
        reason = phrase("exported, the game would take more than {most} bytes", most=MAX_TEXT)
        raise RecordError("too-large", reason, line=location.line)
    claimed = game.tags.get(GAME_TAG, "")
    return ValidRecord(
        location,
        command,
        names,
        identity(game, command.actions),
        essence(command.text, command.tags),
        Claim(claimed, section.text) if ID.fullmatch(claimed) else None,
    )
